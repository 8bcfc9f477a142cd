/** What a call is to be charged, for each policy that limits it. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.charge;
