/** Finds the addresses of callers, also behind proxies, and formats them for keys. Internal. */
package io.quarkiverse.ratelimit.runtime.caller.address;
