/** The entry point for code: limiters that are injected, looked up or created. Internal. */
package io.quarkiverse.ratelimit.runtime.api;
