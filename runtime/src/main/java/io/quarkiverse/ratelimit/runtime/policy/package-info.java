/**
 * What a policy is, and which methods it guards. Internal.
 */
package io.quarkiverse.ratelimit.runtime.policy;
