/** The composition root: creates the limiter's parts at start, and stops them. Nothing imports it. Internal. */
package io.quarkiverse.ratelimit.runtime.start;
