/** The entry point for bean calls: the interceptor. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.cdi;
