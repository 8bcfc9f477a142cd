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
 * @param interval true if {@code permits} come back together after each {@code period}
 * @param period microseconds
 */
record Rate(boolean interval, long permits, long period) {

    static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

    long highest() {
        return !interval ? MAX_FILL_TIME
                : (long) Math.min((double) LimitRule.MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period));
    }

    Level level(long count) {
        if (interval) {
            return new Level(count, 0);
        }
        // in steps of 15 bits, because `count` reaches 2^37, and Lua is exact only below 2^53
        long whole = period / permits, part = period % permits;
        long high = (count >> 15) * part, rest = (high % permits << 15) + (count & 32767) * part;
        return new Level(count * whole + (high / permits << 15) + rest / permits, rest % permits);
    }

    Level sum(Level one, Level other) {
        long rest = one.rest() + other.rest();
        long carry = rest < permits ? 0 : 1;
        return new Level(one.whole() + other.whole() + carry, rest - carry * permits);
    }

    /** Subtracts the second level from the first. The whole part of the result may be negative. */
    Level difference(Level level, Level less) {
        long rest = level.rest() - less.rest();
        long carry = rest < 0 ? 1 : 0;
        return new Level(level.whole() - less.whole() - carry, rest + carry * permits);
    }

    /** Returns how many refills bring back this number of permits. */
    long refills(long count) {
        return (count + permits - 1) / permits;
    }

    /**
     * How much of a token bucket is in use: 0 if all permits are available. A call raises it, and the refill lowers it. The
     * rate defines its unit.
     *
     * @param rest part of the unit, in {@code 1/permits}
     */
    record Level(long whole, long rest) {

        static final Level NONE = new Level(0, 0);

        boolean exceeds(Level other) {
            return whole > other.whole || whole == other.whole && rest > other.rest;
        }

        Level orMore(Level other) {
            return other.exceeds(this) ? other : this;
        }
    }
}
