/** Defines policies, their limits and the methods that use them. Internal. */
package io.quarkiverse.ratelimit.runtime.policy;
