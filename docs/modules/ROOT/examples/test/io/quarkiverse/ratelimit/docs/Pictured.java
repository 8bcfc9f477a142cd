package io.quarkiverse.ratelimit.docs;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;

/**
 * A limit that has a picture.
 *
 * @param policy the policy in the examples' configuration that has this very limit
 */
public record Pictured(String policy, Limit limit) {

    private static final Duration PERIOD = Duration.ofSeconds(10);

    public static final List<Pictured> ALL = List.of(
            new Pictured("bucket", Limit.tokenBucket(10).refill(10, PERIOD)),
            new Pictured("paced", Limit.leakyBucket(10, PERIOD, Duration.ofSeconds(5))),
            new Pictured("fixed", Limit.fixedWindow(10, PERIOD)),
            new Pictured("sliding", Limit.slidingWindow(10, PERIOD)),
            new Pictured("log", Limit.slidingLog(10, PERIOD)),
            new Pictured("parallel", Limit.concurrency(10)));

    /** As in configuration. */
    String algorithm() {
        return limit.algorithm().name().toLowerCase().replace('_', '-');
    }

    boolean waits() {
        return !limit.maxWait().isZero();
    }

    boolean isConcurrency() {
        return limit.algorithm() == Algorithm.CONCURRENCY;
    }
}
