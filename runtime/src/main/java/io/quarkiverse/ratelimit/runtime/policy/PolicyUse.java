package io.quarkiverse.ratelimit.runtime.policy;

/** One {@code @RateLimited} as found at build time: the policy's name and what a call costs. */
public record PolicyUse(String policy, long cost) {
}
