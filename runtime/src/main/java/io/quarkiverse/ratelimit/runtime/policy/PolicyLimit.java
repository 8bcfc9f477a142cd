package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;

/** A limit, its name within a policy and the rule that counts it; the name is {@value #DEFAULT_NAME} if not given. */
public record PolicyLimit(String name, Limit limit, LimitRule rule) {

    public static final String DEFAULT_NAME = "default";

    public PolicyLimit(String name, Limit limit) {
        this(name, limit, LimitRule.of(limit));
    }

    boolean isBucket() {
        return limit.algorithm() == Algorithm.TOKEN_BUCKET || limit.algorithm() == Algorithm.LEAKY_BUCKET;
    }

    /** This limit, which as a bucket holds calls back for up to {@code maxWait}. */
    PolicyLimit withMaxWait(Duration maxWait) {
        return isBucket() ? new PolicyLimit(name, new Limit(Algorithm.TOKEN_BUCKET, limit.permits(), limit.period(),
                limit.burst(), limit.refill(), maxWait, null, null, null)) : this;
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
