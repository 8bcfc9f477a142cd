package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;

/** Makes limits and steps of time that may go wrong. */
public final class RandomLimits {

    private static final long[] PERMITS = { 1, 3, 7, 10, 60, 1_000, 700_000, 999_983, 999_999_937, 1_000_000_000 };
    private static final long[] MILLIS = { 1, 7, 1_000, 60_000, 86_400_000, 366L * 86_400_000 };

    private static final CalendarPeriod[] CALENDARS = CalendarPeriod.values();
    private static final String[] ZONES = { "UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns" };
    private static final Duration DAY = Duration.ofDays(1);
    private static final long[] LEASES = { 1, 30, 86_400 };

    /** Those that {@link #any} makes. */
    public static final List<Algorithm> ALGORITHMS = List.of(
            Algorithm.TOKEN_BUCKET,
            Algorithm.LEAKY_BUCKET,
            Algorithm.SLIDING_WINDOW,
            Algorithm.SLIDING_LOG,
            Algorithm.FIXED_WINDOW,
            Algorithm.CONCURRENCY);

    private RandomLimits() {
    }

    public static Limit any(Random random) {
        return of(ALGORITHMS.get(random.nextInt(ALGORITHMS.size())), random);
    }

    public static Limit of(Algorithm algorithm, Random random) {
        while (true) {
            try {
                return limit(algorithm, random);
            } catch (IllegalArgumentException fillsInMoreThanAHundredYears) {
                continue;
            }
        }
    }

    private static Limit limit(Algorithm algorithm, Random random) {
        long permits = PERMITS[random.nextInt(PERMITS.length)];
        Duration period = Duration.ofMillis(MILLIS[random.nextInt(MILLIS.length)]);
        long few = 1 + random.nextInt(20);
        return switch (algorithm) {
            case TOKEN_BUCKET -> {
                Limit bucket = Limit.tokenBucket(random.nextBoolean() ? few : 1 + random.nextInt(1_000_000_000));
                bucket = random.nextBoolean() ? bucket.refill(permits, period) : bucket.refillInterval(permits, period);
                yield random.nextInt(3) == 0 ? bucket.maxWait(period.dividedBy(few * 1_000).multipliedBy(1_000)) : bucket;
            }
            case LEAKY_BUCKET -> Limit.leakyBucket(permits, period, period);
            case SLIDING_WINDOW -> Limit.slidingWindow(random.nextBoolean() ? few : permits, period);
            case SLIDING_LOG -> Limit.slidingLog(random.nextBoolean() ? few : permits, period);
            case FIXED_WINDOW -> random.nextBoolean() ? Limit.fixedWindow(few, period)
                    : Limit.fixedWindow(permits, CALENDARS[random.nextInt(CALENDARS.length)],
                            ZoneId.of(ZONES[random.nextInt(ZONES.length)]));
            case CONCURRENCY -> Limit.concurrency(few).leaseTime(Duration.ofSeconds(LEASES[random.nextInt(LEASES.length)]));
        };
    }

    /**
     * A penalty whose times fit those of the limit; {@code null} for none.
     *
     * @param blockedFor for how many microseconds code has blocked the caller
     */
    public static Penalty penalty(Limit limit, Random random, LongSupplier blockedFor) {
        long period = Math.min(TimeUnit.DAYS.toMicros(30), micros(limit));
        Duration block = Duration.of(1 + random.nextLong(2 * period), ChronoUnit.MICROS);
        return switch (random.nextInt(4)) {
            case 0 -> new Penalty(1 + random.nextInt(4), Duration.of(1 + random.nextLong(3 * period), ChronoUnit.MICROS), block,
                    block.multipliedBy(1 + random.nextInt(6))).blockedFor(blockedFor);
            case 1 -> Penalty.NONE.blockedFor(blockedFor);
            default -> null;
        };
    }

    private static long micros(Limit limit) {
        Duration time = limit.period() != null ? limit.period() : limit.leaseTime() != null ? limit.leaseTime() : DAY;
        return time.toNanos() / 1_000;
    }

    /** How many microseconds pass before the next call. */
    public static long step(Limit limit, Random random) {
        long period = micros(limit);
        return switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> period;
            case 3 -> random.nextLong(period) + 1;
            case 4 -> random.nextInt(20) == 0 ? -random.nextLong(3 * period) : 0;
            case 5 -> random.nextInt(10) == 0 ? random.nextLong(3 * period * Math.max(1, limit.burst() / limit.permits())) : 0;
            default -> period / limit.permits();
        };
    }
}
