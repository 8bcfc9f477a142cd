package io.quarkiverse.ratelimit.demo;

import java.time.Duration;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;

/**
 * A limit as entered in the form of the page.
 *
 * @param algorithm as in configuration
 * @param permits 1 to 100
 * @param period milliseconds, 500 to 60 000
 * @param burst of a token bucket, 1 to 200
 * @param interval whether a token bucket is refilled all at once
 * @param maxWait of a bucket, 0 to 5000 milliseconds
 */
public record LimitValues(String algorithm, long permits, long period, long burst, boolean interval, long maxWait) {

    /** @throws IllegalArgumentException when a number is out of its range; the message names it */
    Limit limit() {
        DemoResource.check("permits", permits, 1, 100);
        DemoResource.check("period", period, 500, 60_000);
        DemoResource.check("maxWait", maxWait, 0, 5_000);
        Duration each = Duration.ofMillis(period);
        Duration wait = Duration.ofMillis(maxWait);
        return switch (Algorithm.valueOf(DemoResource.given("algorithm", algorithm).toUpperCase().replace('-', '_'))) {
            case TOKEN_BUCKET -> bucket(each).maxWait(wait);
            case LEAKY_BUCKET -> Limit.leakyBucket(permits, each, wait);
            case FIXED_WINDOW -> Limit.fixedWindow(permits, each);
            case SLIDING_WINDOW -> Limit.slidingWindow(permits, each);
            case SLIDING_LOG -> Limit.slidingLog(permits, each);
            case CONCURRENCY -> Limit.concurrency(permits);
        };
    }

    private Limit bucket(Duration each) {
        DemoResource.check("burst", burst, 1, 200);
        Limit bucket = Limit.tokenBucket(burst);
        return interval ? bucket.refillInterval(permits, each) : bucket.refill(permits, each);
    }
}
