/** The entry point for code: limiters that are injected, looked up or created, and administration. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.code;
