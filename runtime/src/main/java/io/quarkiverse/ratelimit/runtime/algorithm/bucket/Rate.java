package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;

/**
 * How permits come back to a token bucket: evenly, or together at intervals. Levels of equal rates have the same meaning.
 *
 * <p>
 * If they come back evenly, a level is the time in which it comes back: whole microseconds, and a rest in {@code 1/permits}
 * microseconds, so that every rate is exact. At intervals, a level is a number of permits.
 *
 * @param interval whether {@code permits} come back together after each {@code period}
 * @param period microseconds
 */
record Rate(boolean interval, long permits, long period) {

    static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

    /** The level of this number of permits. */
    Level level(long count) {
        if (interval) {
            return new Level(count, 0);
        }
        // in two steps, because the product of large numbers overflows
        long part = period % permits, high = (count >> 15) * part;
        long low = (high % permits << 15) + (count & 32767) * part;
        return new Level(count * (period / permits) + (high / permits << 15) + low / permits, low % permits);
    }

    Level sum(Level one, Level other) {
        long rest = one.rest() + other.rest();
        return rest < permits ? new Level(one.whole() + other.whole(), rest)
                : new Level(one.whole() + other.whole() + 1, rest - permits);
    }

    /** The first level without the second. Its whole part may be negative. */
    Level difference(Level level, Level less) {
        long rest = level.rest() - less.rest();
        return rest >= 0 ? new Level(level.whole() - less.whole(), rest)
                : new Level(level.whole() - less.whole() - 1, rest + permits);
    }

    /** How many refills bring back this number of permits. */
    long refills(long count) {
        return (count + permits - 1) / permits;
    }

    /** The highest level that is stored. */
    long highest() {
        return interval ? (long) Math.min((double) LimitRule.MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period))
                : MAX_FILL_TIME;
    }
}
