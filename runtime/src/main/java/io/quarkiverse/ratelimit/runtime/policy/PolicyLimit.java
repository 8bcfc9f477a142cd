package io.quarkiverse.ratelimit.runtime.policy;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;

/** A limit, its name within a policy and the rule that counts it; the name is {@value #DEFAULT_NAME} if not given. */
public record PolicyLimit(String name, Limit limit, LimitRule rule) {

    public static final String DEFAULT_NAME = "default";

    public PolicyLimit(String name, Limit limit) {
        this(name, limit, LimitRule.of(limit));
    }

    /** This limit divided among so many instances, at least 1. */
    PolicyLimit dividedBy(int replicas) {
        long permits = Math.max(1, limit.permits() / replicas);
        long burst = switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Math.max(1, Math.min(limit.burst() / replicas, limit.burst() * permits / limit.permits()));
            case LEAKY_BUCKET -> 1;
            default -> permits;
        };
        return new PolicyLimit(name, new Limit(limit.algorithm(), permits, limit.period(), burst, limit.refill(),
                limit.maxWait(), limit.calendar(), limit.zone(), limit.leaseTime()));
    }
}
