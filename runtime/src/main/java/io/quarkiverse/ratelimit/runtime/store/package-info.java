/** The requests to stores and their replies. Internal. */
package io.quarkiverse.ratelimit.runtime.store;
