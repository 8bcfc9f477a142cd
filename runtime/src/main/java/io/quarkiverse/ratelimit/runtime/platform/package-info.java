/** Filters of the log, and words for waits, which the API needs as well; below, the doors to internals. Internal. */
package io.quarkiverse.ratelimit.runtime.platform;
