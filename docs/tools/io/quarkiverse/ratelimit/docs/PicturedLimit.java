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
public record PicturedLimit(String policy, Limit limit) {

    private static final Duration PERIOD = Duration.ofSeconds(10);

    public static final List<PicturedLimit> ALL = List.of(
            new PicturedLimit("bucket", Limit.tokenBucket(10).refill(10, PERIOD)),
            new PicturedLimit("paced", Limit.leakyBucket(10, PERIOD, Duration.ofSeconds(5))),
            new PicturedLimit("fixed", Limit.fixedWindow(10, PERIOD)),
            new PicturedLimit("sliding", Limit.slidingWindow(10, PERIOD)),
            new PicturedLimit("log", Limit.slidingLog(10, PERIOD)),
            new PicturedLimit("parallel", Limit.concurrency(10)));

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
