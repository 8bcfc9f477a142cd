package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;

/** A limit of a policy: its name, by default {@value #DEFAULT_NAME}, its values and the rule that counts it. */
public record PolicyLimit(String name, Limit limit, LimitRule rule) {

    public static final String DEFAULT_NAME = "default";

    public PolicyLimit(String name, Limit limit) {
        this(name, limit, LimitRule.of(limit));
    }

    /** What a call acquires from this limit. */
    public PermitRequest charged(PermitRequest requested) {
        return countsCost() ? requested : requested.one();
    }

    public boolean countsCost() {
        return limit.counts() == Counts.COST;
    }

    /** Whether a permit can be acquired before the call that uses it, and refunded exactly. */
    public boolean supportsPrefetch() {
        return limit.algorithm() == Algorithm.FIXED_WINDOW
                || limit.algorithm() == Algorithm.TOKEN_BUCKET && limit.maxWait().isZero();
    }

    boolean isBucket() {
        return limit.algorithm() == Algorithm.TOKEN_BUCKET || limit.algorithm() == Algorithm.LEAKY_BUCKET;
    }

    /** This limit with a delay of up to {@code maxWait} if it is a bucket, otherwise this limit unchanged. */
    PolicyLimit withMaxWait(Duration maxWait) {
        return isBucket() ? new PolicyLimit(name, new LimitSpec(Algorithm.TOKEN_BUCKET, limit.permits(), limit.period(),
                limit.burst(), limit.refill(), maxWait, null, null, null, limit.counts()).toLimit()) : this;
    }

    /** This limit divided by the number of instances. It keeps at least 1 permit. */
    PolicyLimit dividedBy(int replicas) {
        long permits = Math.max(1, limit.permits() / replicas);
        long burst = switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Math.max(1, Math.min(limit.burst() / replicas, limit.burst() * permits / limit.permits()));
            case LEAKY_BUCKET -> 1;
            case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_LOG, CONCURRENCY -> permits;
        };
        return new PolicyLimit(name, LimitSpec.of(limit).with(permits, limit.period(), burst).toLimit());
    }
}
