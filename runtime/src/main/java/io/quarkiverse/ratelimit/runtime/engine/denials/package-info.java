/**
 * Repeats denials of Redis for a short time. Internal.
 */
package io.quarkiverse.ratelimit.runtime.engine.denials;
