/** Finds the limits of a call: the rules of methods, and the plans, overrides, blocks and pauses that change them. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.limits;
