package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Concurrency;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.KeyLayout;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.SlidingLog;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket;
import io.quarkiverse.ratelimit.runtime.algorithm.window.FixedWindow;
import io.quarkiverse.ratelimit.runtime.algorithm.window.SlidingWindow;

/**
 * A limit of a policy: its name, by default {@value #DEFAULT_NAME}, its values and the rule that counts it.
 *
 * @param storedName name and layout, as the keys of the limit contain them
 */
public record PolicyLimit(String name, Limit limit, LimitRule rule, String storedName) {

    public static final String DEFAULT_NAME = "default";

    public PolicyLimit(String name, Limit limit) {
        this(name, limit, ruleOf(limit));
    }

    private PolicyLimit(String name, Limit limit, LimitRule rule) {
        this(name, limit, rule, storedName(name, rule.layout()));
    }

    public static String storedName(String name, KeyLayout layout) {
        return name + ':' + layout.code;
    }

    /** Returns whether permits come back while nobody calls, so that they must be used up where calls go at a pace. */
    public boolean isBucket() {
        return rule instanceof TokenBucket;
    }

    public static LimitRule ruleOf(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> new TokenBucket(limit);
            case FIXED_WINDOW -> new FixedWindow(limit);
            case SLIDING_WINDOW -> new SlidingWindow(limit);
            case SLIDING_LOG -> new SlidingLog(limit);
            case CONCURRENCY -> new Concurrency(limit);
        };
    }

    /** Returns what a call acquires from this limit. */
    public PermitRequest charged(PermitRequest requested) {
        return countsCost() ? requested : requested.one();
    }

    public boolean countsCost() {
        return limit.counts() == Counts.COST;
    }

    /** Returns this limit with a delay of up to {@code maxWait} if its calls may wait, otherwise this limit unchanged. */
    PolicyLimit withMaxWait(Duration maxWait) {
        if (!rule.mayWait()) {
            return this;
        }
        // a leaky bucket always waits
        Limit bucket = limit.algorithm() == Algorithm.LEAKY_BUCKET
                ? Limit.tokenBucket(limit.burst()).refill(limit.permits(), limit.period()).counts(limit.counts())
                : limit;
        return new PolicyLimit(name, bucket.maxWait(maxWait));
    }

    /** Returns this limit divided by the number of instances. It keeps at least 1 permit. */
    PolicyLimit dividedBy(int replicas) {
        long permits = Math.max(1, limit.permits() / replicas);
        long burst = Math.max(1, Math.min(limit.burst() / replicas, limit.burst() * permits / limit.permits()));
        return new PolicyLimit(name, LimitSpec.with(limit, permits, limit.period(), burst));
    }
}
