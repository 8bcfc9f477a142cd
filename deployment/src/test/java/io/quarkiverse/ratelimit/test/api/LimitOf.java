package io.quarkiverse.ratelimit.test.api;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;

/** Makes limits of every algorithm by its name, as parameters of tests can only be text. */
final class LimitOf {

    private LimitOf() {
    }

    /** A bucket comes as {@code interval}, too. */
    static Limit algorithm(String name, long permits, Duration period) {
        return switch (name) {
            case "token-bucket" -> Limit.tokenBucket(permits).refill(permits, period);
            case "interval" -> Limit.tokenBucket(permits).refillInterval(permits, period);
            case "leaky-bucket" -> Limit.leakyBucket(permits, period, Duration.ofMillis(1));
            case "fixed-window" -> Limit.fixedWindow(permits, period);
            case "sliding-window" -> Limit.slidingWindow(permits, period);
            case "sliding-log" -> Limit.slidingLog(permits, period);
            default -> throw new IllegalArgumentException(name);
        };
    }
}
