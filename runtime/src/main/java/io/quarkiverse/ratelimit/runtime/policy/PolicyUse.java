package io.quarkiverse.ratelimit.runtime.policy;

/** One {@code @RateLimited} annotation, found at build time: the policy's name and the cost of a call. */
public record PolicyUse(String policy, long cost) {
}
