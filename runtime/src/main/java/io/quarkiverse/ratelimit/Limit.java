package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * So many permits per so long, counted by an algorithm. Made by the factory of the algorithm.
 *
 * @param algorithm the rule by which it counts
 * @param permits how many permits come back per {@code period}, or how many calls may run at the same time;
 *        1 to 10<sup>9</sup>
 * @param period 1 ms to 366 days in whole microseconds; {@code null} for a calendar's windows and for
 *        {@link Algorithm#CONCURRENCY}
 * @param burst the capacity: how many permits can be taken at once, 1 to 10<sup>9</sup>; 1 for
 *        {@link Algorithm#LEAKY_BUCKET}, else {@code permits} for all but {@link Algorithm#TOKEN_BUCKET}. For buckets
 *        {@code burst * period / permits} is at most 100 years
 * @param refill when the permits of a token bucket come back; {@link Refill#GREEDY} for all others
 * @param maxWait for how long a bucket holds back a call that comes too early, instead of refusing it: up to 366 days,
 *        zero for never, which {@link Algorithm#LEAKY_BUCKET} does not allow and all but the buckets require
 * @param calendar what fixed windows are aligned to, in place of {@code period}; else {@code null}
 * @param zone the time zone of {@code calendar}; {@code null} without
 * @param leaseTime {@link Algorithm#CONCURRENCY}: when the permits of a crashed instance come back, 1 s to 1 day; else
 *        {@code null}
 */
public record Limit(Algorithm algorithm, long permits, Duration period, long burst, Refill refill, Duration maxWait,
        CalendarPeriod calendar, ZoneId zone, Duration leaseTime) {

    /** The largest number of permits, burst and cost. */
    public static final long MAX_PERMITS = 1_000_000_000;
    /** The largest cost of a call where concurrency is limited: each permit is held, and renewed, by itself. */
    public static final long MAX_HELD_PERMITS = 10_000;
    /** The shortest period. */
    public static final Duration MIN_PERIOD = Duration.ofMillis(1);
    /** The longest period, and the longest time to hold a call back. */
    public static final Duration MAX_PERIOD = Duration.ofDays(366);
    /** The longest time in which a bucket may fill: 100 years. */
    public static final Duration MAX_FILL_TIME = Duration.ofDays(36525);
    /** The shortest lease. */
    public static final Duration MIN_LEASE_TIME = Duration.ofSeconds(1);
    /** The longest lease. */
    public static final Duration MAX_LEASE_TIME = Duration.ofDays(1);
    /** The lease unless it is changed. */
    public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

    /**
     * @throws IllegalArgumentException when something is missing, out of its range, or has no meaning for the algorithm; the
     *         message says what, and the range
     */
    public Limit {
        requireGiven("algorithm", algorithm);
        requireGiven("refill", refill);
        requireGiven("maxWait", maxWait);
        boolean bucket = algorithm == Algorithm.TOKEN_BUCKET || algorithm == Algorithm.LEAKY_BUCKET;
        requirePermits("permits", permits);
        requirePermits("burst", burst);
        require(algorithm == Algorithm.FIXED_WINDOW || calendar == null, "calendar has a meaning for fixed windows only");
        require(calendar != null || zone == null, "zone has a meaning for a calendar only");
        require(calendar == null || zone != null, "zone is required for a calendar");
        if (calendar == null && algorithm != Algorithm.CONCURRENCY) {
            requireGiven("period", period);
            requireDuration("period", period, MIN_PERIOD, MAX_PERIOD);
        } else {
            require(period == null, "period has no meaning where a calendar says it and for concurrency");
        }
        if (bucket) {
            require((double) burst * (period.toNanos() / 1000) / permits <= MAX_FILL_TIME.toSeconds() * 1e6,
                    "burst * period / permits must be at most 100 years, but a burst of " + burst + " at " + permits + " per "
                            + period + " takes longer to fill");
            requireDuration("maxWait", maxWait, Duration.ZERO, MAX_PERIOD);
        } else {
            require(maxWait.isZero(), "maxWait has a meaning for buckets only");
        }
        if (algorithm == Algorithm.LEAKY_BUCKET) {
            require(burst == 1, "burst must be 1 for a leaky bucket");
            require(!maxWait.isZero(), "maxWait is required for a leaky bucket");
        } else if (algorithm != Algorithm.TOKEN_BUCKET) {
            require(burst == permits, "burst has a meaning for token buckets only");
        }
        require(algorithm == Algorithm.TOKEN_BUCKET || refill == Refill.GREEDY,
                "refill has a meaning for token buckets only");
        if (algorithm == Algorithm.CONCURRENCY) {
            requireGiven("leaseTime", leaseTime);
            requireDuration("leaseTime", leaseTime, MIN_LEASE_TIME, MAX_LEASE_TIME);
        } else {
            require(leaseTime == null, "leaseTime has a meaning for concurrency only");
        }
    }

    /**
     * A token bucket that starts full with {@code capacity} permits; unless changed by {@link #refill(long, Duration)} or
     * {@link #refillInterval(long, Duration)} they come back evenly within one second.
     */
    public static Limit tokenBucket(long capacity) {
        return bucket(Algorithm.TOKEN_BUCKET, capacity, Duration.ofSeconds(1), capacity, Refill.GREEDY, Duration.ZERO);
    }

    /**
     * A leaky bucket: calls go ahead one each {@code period / permits}, each held back for at most {@code maxWait}, else
     * refused.
     */
    public static Limit leakyBucket(long permits, Duration period, Duration maxWait) {
        return bucket(Algorithm.LEAKY_BUCKET, permits, period, 1, Refill.GREEDY, maxWait);
    }

    /** At most {@code permits} in each window of {@code period}; windows begin at multiples of it since the epoch. */
    public static Limit fixedWindow(long permits, Duration period) {
        return counted(Algorithm.FIXED_WINDOW, permits, period);
    }

    /** At most {@code permits} in each minute, hour, day, week, month or year of UTC. */
    public static Limit fixedWindow(long permits, CalendarPeriod calendar) {
        return fixedWindow(permits, calendar, ZoneOffset.UTC);
    }

    /** At most {@code permits} in each minute, hour, day, week, month or year of a time zone. */
    public static Limit fixedWindow(long permits, CalendarPeriod calendar, ZoneId zone) {
        return new Limit(Algorithm.FIXED_WINDOW, permits, null, permits, Refill.GREEDY, Duration.ZERO, calendar, zone, null);
    }

    /** About {@code permits} in any span of {@code period}, estimated from the counts of two fixed windows. */
    public static Limit slidingWindow(long permits, Duration period) {
        return counted(Algorithm.SLIDING_WINDOW, permits, period);
    }

    /** At most {@code permits} in any span of {@code period}, exactly. */
    public static Limit slidingLog(long permits, Duration period) {
        return counted(Algorithm.SLIDING_LOG, permits, period);
    }

    /** At most {@code permits} calls at the same time, over all instances. */
    public static Limit concurrency(long permits) {
        return new Limit(Algorithm.CONCURRENCY, permits, null, permits, Refill.GREEDY, Duration.ZERO, null, null,
                DEFAULT_LEASE_TIME);
    }

    /** This token bucket with {@code permits} coming back evenly per {@code period}. */
    public Limit refill(long permits, Duration period) {
        return refilled("refill", permits, period, Refill.GREEDY);
    }

    /** This token bucket with {@code permits} coming back at once each whole {@code period}. */
    public Limit refillInterval(long permits, Duration period) {
        return refilled("refillInterval", permits, period, Refill.INTERVAL);
    }

    /** This bucket, holding back a call that comes too early for up to {@code maxWait}, else refusing it. */
    public Limit maxWait(Duration maxWait) {
        return new Limit(algorithm, permits, period, burst, refill, maxWait, calendar, zone, leaseTime);
    }

    /** This limit of concurrency, whose permits come back so long after an instance has crashed. */
    public Limit leaseTime(Duration leaseTime) {
        return new Limit(algorithm, permits, period, burst, refill, maxWait, calendar, zone, leaseTime);
    }

    private Limit refilled(String method, long permits, Duration period, Refill refill) {
        require(algorithm == Algorithm.TOKEN_BUCKET, method + " has a meaning for token buckets only, not for " + algorithm);
        return bucket(algorithm, permits, period, burst, refill, maxWait);
    }

    private static Limit bucket(Algorithm algorithm, long permits, Duration period, long burst, Refill refill,
            Duration maxWait) {
        return new Limit(algorithm, permits, period, burst, refill, maxWait, null, null, null);
    }

    private static Limit counted(Algorithm algorithm, long permits, Duration period) {
        return new Limit(algorithm, permits, period, permits, Refill.GREEDY, Duration.ZERO, null, null, null);
    }

    private static void requirePermits(String name, long value) {
        require(value >= 1 && value <= MAX_PERMITS, name + " must be 1 to 1000000000, but is " + value);
    }

    private static void requireGiven(String name, Object value) {
        require(value != null, name + " is required, but is null");
    }

    private static void requireDuration(String name, Duration value, Duration min, Duration max) {
        require(value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
                name + " must be " + min + " to " + max + ", but is " + value);
        require(value.toNanos() % 1000 == 0, name + " must be whole microseconds, but is " + value);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
