package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.Objects;

/**
 * So many permits per so long.
 *
 * @param algorithm the rule by which it counts
 * @param permits how many permits come back per {@code period}, 1 to 10<sup>9</sup>
 * @param period 1 ms to 366 days
 * @param burst the capacity: how many permits can be taken at once, 1 to 10<sup>9</sup>;
 *        {@code burst * period / permits} is at most 100 years
 * @param refill when the permits come back
 */
public record Limit(Algorithm algorithm, long permits, Duration period, long burst, Refill refill) {

    /** The largest number of permits, burst and cost. */
    public static final long MAX_PERMITS = 1_000_000_000;
    /** The shortest period. */
    public static final Duration MIN_PERIOD = Duration.ofMillis(1);
    /** The longest period. */
    public static final Duration MAX_PERIOD = Duration.ofDays(366);
    /** The longest time in which a bucket may fill: 100 years. */
    public static final Duration MAX_FILL_TIME = Duration.ofDays(36525);

    /**
     * @throws IllegalArgumentException when a number is out of its range; the message says which, and the range
     */
    public Limit {
        Objects.requireNonNull(algorithm, "algorithm");
        Objects.requireNonNull(period, "period");
        Objects.requireNonNull(refill, "refill");
        requirePermits("permits", permits);
        requirePermits("burst", burst);
        if (period.compareTo(MIN_PERIOD) < 0 || period.compareTo(MAX_PERIOD) > 0) {
            throw new IllegalArgumentException("period must be 1 ms to 366 days, but is " + period);
        }
        if (period.toNanos() % 1000 != 0) {
            throw new IllegalArgumentException("period must be whole microseconds, but is " + period);
        }
        if ((double) burst * (period.toNanos() / 1000) / permits > MAX_FILL_TIME.toSeconds() * 1e6) {
            throw new IllegalArgumentException("burst * period / permits must be at most 100 years, but a burst of "
                    + burst + " at " + permits + " per " + period + " takes longer to fill");
        }
    }

    /**
     * A token bucket that starts full with {@code capacity} permits; unless changed by {@link #refill(long, Duration)}
     * they come back evenly within one second.
     */
    public static Limit tokenBucket(long capacity) {
        return new Limit(Algorithm.TOKEN_BUCKET, capacity, Duration.ofSeconds(1), capacity, Refill.GREEDY);
    }

    /** This limit with {@code permits} coming back evenly per {@code period}. */
    public Limit refill(long permits, Duration period) {
        return new Limit(algorithm, permits, period, burst, Refill.GREEDY);
    }

    /** This limit with {@code permits} coming back at once each whole {@code period}. */
    public Limit refillInterval(long permits, Duration period) {
        return new Limit(algorithm, permits, period, burst, Refill.INTERVAL);
    }

    private static void requirePermits(String name, long value) {
        if (value < 1 || value > MAX_PERMITS) {
            throw new IllegalArgumentException(name + " must be 1 to 1000000000, but is " + value);
        }
    }
}
