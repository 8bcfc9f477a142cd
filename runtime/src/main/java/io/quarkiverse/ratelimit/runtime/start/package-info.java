/** The composition root: creates the limiter's parts at start, and stops them. Only the build imports it. Internal. */
package io.quarkiverse.ratelimit.runtime.start;
