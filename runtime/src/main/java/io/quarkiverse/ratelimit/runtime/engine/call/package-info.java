/**
 * Holds a call, what it is charged, and what is decided about it; {@code Decider} is the link that the chain consists of.
 * Internal.
 */
package io.quarkiverse.ratelimit.runtime.engine.call;
