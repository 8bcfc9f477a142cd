/** What limits apply to a call: the rules of methods, and plans and overrides in their place. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.limits;
