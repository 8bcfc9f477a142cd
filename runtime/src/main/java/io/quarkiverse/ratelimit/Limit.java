package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * A number of permits per period, counted by an algorithm. Created by the factory of the algorithm, and immutable. A value
 * that is missing, out of range or has no meaning for the algorithm is an {@link IllegalArgumentException}, whose message names
 * the value and its range.
 */
public final class Limit {

    /** Largest number of permits, burst and cost. */
    public static final long MAX_PERMITS = 1_000_000_000;
    /** Largest cost of a call that concurrency limits by cost: each permit is held and renewed by itself. */
    public static final long MAX_HELD_PERMITS = 10_000;
    /** Shortest period. */
    public static final Duration MIN_PERIOD = Duration.ofMillis(1);
    /** Longest period, and the longest delay of a call. */
    public static final Duration MAX_PERIOD = Duration.ofDays(366);
    /** Longest time that a bucket may need to fill: 100 years. */
    public static final Duration MAX_FILL_TIME = Duration.ofDays(36525);
    /** Shortest lease time. */
    public static final Duration MIN_LEASE_TIME = Duration.ofSeconds(1);
    /** Longest lease time. */
    public static final Duration MAX_LEASE_TIME = Duration.ofDays(1);
    /** Lease time of a limit that sets no other. */
    public static final Duration DEFAULT_LEASE_TIME = Duration.ofSeconds(30);

    private final Values values;

    private Limit(Algorithm algorithm, long permits, Duration period, long burst, Refill refill, Duration maxWait,
            CalendarPeriod calendar, ZoneId zone, Duration leaseTime, Counts counts) {
        this.values = new Values(algorithm, permits, period, burst, refill, maxWait, calendar, zone, leaseTime, counts);
    }

    /** Creates a limit without a calendar and a lease. */
    private Limit(Algorithm algorithm, long permits, Duration period, long burst, Duration maxWait) {
        this(algorithm, permits, period, burst, Refill.GREEDY, maxWait, null, null, null, Counts.COST);
    }

    /** All that defines a limit; what an algorithm does not have is {@code null}. */
    private record Values(Algorithm algorithm, long permits, Duration period, long burst, Refill refill, Duration maxWait,
            CalendarPeriod calendar, ZoneId zone, Duration leaseTime, Counts counts) {

        Values {
            require(counts != null, "counts is required, but is null");
            requirePermits("permits", permits);
            requirePermits("burst", burst);
            require(calendar == null || zone != null, "zone is required for a calendar");
            if (calendar == null && algorithm.has("period")) {
                requireDuration("period", period, MIN_PERIOD, MAX_PERIOD);
                if ((double) burst * (period.toNanos() / 1000) / permits > MAX_FILL_TIME.toSeconds() * 1e6) {
                    throw new IllegalArgumentException(
                            "burst * period / permits must be at most 100 years, but a burst of " + burst + " at " + permits
                                    + " per " + period + " takes longer to fill");
                }
            }
            requireDuration("maxWait", maxWait, Duration.ZERO, MAX_PERIOD);
            require(maxWait.isZero() || algorithm.has("max-wait"), "maxWait has a meaning for buckets only");
            require(algorithm != Algorithm.LEAKY_BUCKET || !maxWait.isZero(), "maxWait is required for a leaky bucket");
            if (algorithm.has("lease-time")) {
                requireDuration("leaseTime", leaseTime, MIN_LEASE_TIME, MAX_LEASE_TIME);
            } else {
                require(leaseTime == null, "leaseTime has a meaning for concurrency only");
            }
        }
    }

    /**
     * Creates a token bucket that starts full with {@code capacity} permits. It is refilled continuously within one second,
     * unless {@link #refill(long, Duration)} or {@link #refillInterval(long, Duration)} changes that.
     */
    public static Limit tokenBucket(long capacity) {
        requirePermits("burst", capacity);
        return new Limit(Algorithm.TOKEN_BUCKET, capacity, Duration.ofSeconds(1), capacity, Duration.ZERO);
    }

    /**
     * Creates a leaky bucket: one call proceeds each {@code period / permits}. A call is delayed by at most {@code maxWait},
     * otherwise denied.
     */
    public static Limit leakyBucket(long permits, Duration period, Duration maxWait) {
        return new Limit(Algorithm.LEAKY_BUCKET, permits, period, 1, maxWait);
    }

    /** Creates a limit of {@code permits} in each window of {@code period}. Windows begin at its multiples since the epoch. */
    public static Limit fixedWindow(long permits, Duration period) {
        return new Limit(Algorithm.FIXED_WINDOW, permits, period, permits, Duration.ZERO);
    }

    /** Creates a limit of {@code permits} in each minute, hour, day, week, month or year of UTC. */
    public static Limit fixedWindow(long permits, CalendarPeriod calendar) {
        return fixedWindow(permits, calendar, ZoneOffset.UTC);
    }

    /** Creates a limit of {@code permits} in each minute, hour, day, week, month or year of a time zone. */
    public static Limit fixedWindow(long permits, CalendarPeriod calendar, ZoneId zone) {
        return new Limit(Algorithm.FIXED_WINDOW, permits, null, permits, Refill.GREEDY, Duration.ZERO, calendar, zone, null,
                Counts.COST);
    }

    /** Creates a limit of about {@code permits} in any span of {@code period}, estimated from two fixed windows. */
    public static Limit slidingWindow(long permits, Duration period) {
        return new Limit(Algorithm.SLIDING_WINDOW, permits, period, permits, Duration.ZERO);
    }

    /** Creates a limit of {@code permits} in any span of {@code period}, exactly. */
    public static Limit slidingLog(long permits, Duration period) {
        return new Limit(Algorithm.SLIDING_LOG, permits, period, permits, Duration.ZERO);
    }

    /** Creates a limit of {@code permits} calls at the same time, over all instances. */
    public static Limit concurrency(long permits) {
        return new Limit(Algorithm.CONCURRENCY, permits, null, permits, Refill.GREEDY, Duration.ZERO, null, null,
                DEFAULT_LEASE_TIME, Counts.COST);
    }

    /** Returns this token bucket, refilled continuously with {@code permits} per {@code period}. */
    public Limit refill(long permits, Duration period) {
        return refilled("refill", permits, period, Refill.GREEDY);
    }

    /** Returns this token bucket, refilled with {@code permits} at once after each whole {@code period}. */
    public Limit refillInterval(long permits, Duration period) {
        return refilled("refillInterval", permits, period, Refill.INTERVAL);
    }

    /** Returns this bucket, which delays a call that comes too early by up to {@code maxWait}, instead of denying it. */
    public Limit maxWait(Duration maxWait) {
        return new Limit(algorithm(), permits(), period(), burst(), refill(), maxWait, calendar(), zone(), leaseTime(),
                counts());
    }

    /** Returns this concurrency limit, which releases the permits of a crashed instance after {@code leaseTime}. */
    public Limit leaseTime(Duration leaseTime) {
        return new Limit(algorithm(), permits(), period(), burst(), refill(), maxWait(), calendar(), zone(), leaseTime,
                counts());
    }

    /** Returns this limit, which charges a call its cost or 1 permit. The default is {@link Counts#COST}. */
    public Limit counts(Counts counts) {
        return new Limit(algorithm(), permits(), period(), burst(), refill(), maxWait(), calendar(), zone(), leaseTime(),
                counts);
    }

    /** Returns the algorithm that counts. */
    public Algorithm algorithm() {
        return values.algorithm;
    }

    /** Returns the permits per {@link #period()}, or how many calls may run at the same time; 1 to 10<sup>9</sup>. */
    public long permits() {
        return values.permits;
    }

    /**
     * Returns the period: 1 ms to 366 days in whole microseconds; {@code null} for a calendar's windows and for
     * {@link Algorithm#CONCURRENCY}.
     */
    public Duration period() {
        return values.period;
    }

    /**
     * Returns the capacity: how many permits can be acquired at once, 1 to 10<sup>9</sup>; 1 for
     * {@link Algorithm#LEAKY_BUCKET}, otherwise {@link #permits()} for all but {@link Algorithm#TOKEN_BUCKET}. For buckets
     * {@code burst * period / permits} is at most 100 years.
     */
    public long burst() {
        return values.burst;
    }

    /** Returns how a token bucket is refilled; {@link Refill#GREEDY} for all others. */
    public Refill refill() {
        return values.refill;
    }

    /** Returns how long a bucket delays a call that comes too early, instead of denying it: zero (never) to 366 days. */
    public Duration maxWait() {
        return values.maxWait;
    }

    /** Returns the period of the calendar in place of {@link #period()}, for fixed windows; otherwise {@code null}. */
    public CalendarPeriod calendar() {
        return values.calendar;
    }

    /** Returns the time zone of {@link #calendar()}; {@code null} without it. */
    public ZoneId zone() {
        return values.zone;
    }

    /**
     * Returns the time after which the permits of a crashed instance are released, for {@link Algorithm#CONCURRENCY}: 1 s to
     * 1 day; otherwise {@code null}.
     */
    public Duration leaseTime() {
        return values.leaseTime;
    }

    /** Returns what the limit charges a call: its cost, or 1 permit. */
    public Counts counts() {
        return values.counts;
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Limit limit && values.equals(limit.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "Limit" + values.toString().substring("Values".length());
    }

    private Limit refilled(String method, long permits, Duration period, Refill refill) {
        if (!algorithm().has("refill")) {
            throw new IllegalArgumentException(method + " has a meaning for token buckets only, not for " + algorithm());
        }
        return new Limit(algorithm(), permits, period, burst(), refill, maxWait(), null, null, null, counts());
    }

    private static void requirePermits(String name, long value) {
        if (value < 1 || value > MAX_PERMITS) {
            throw new IllegalArgumentException(name + " must be 1 to 1000000000, but is " + value);
        }
    }

    private static void requireDuration(String name, Duration value, Duration min, Duration max) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is required, but is null");
        }
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " must be " + min + " to " + max + ", but is " + value);
        }
        if (value.toNanos() % 1000 != 0) {
            throw new IllegalArgumentException(name + " must be whole microseconds, but is " + value);
        }
    }

    /** Checks a condition with a constant message. Other messages are composed only for a mistake, to start faster. */
    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
