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
 * @param emissionInterval the level of one permit
 */
record Rate(boolean interval, long permits, long period, Level emissionInterval) {

    static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

    Rate(boolean interval, long permits, long period) {
        this(interval, permits, period, interval ? new Level(1, 0) : new Level(period / permits, period % permits));
    }

    /** The level of this number of permits. */
    Level level(long count) {
        long whole = count * emissionInterval.whole(), rest = (count & 32767) * emissionInterval.rest();
        if (count > 32767) {
            // in two steps, because the product of large numbers overflows
            long high = (count >> 15) * emissionInterval.rest();
            whole += high / permits << 15;
            rest += high % permits << 15;
        }
        return new Level(whole + rest / permits, rest % permits);
    }

    Level sum(Level one, Level other) {
        long rest = one.rest() + other.rest();
        long carry = rest < permits ? 0 : 1;
        return new Level(one.whole() + other.whole() + carry, rest - carry * permits);
    }

    /** The first level without the second. Its whole part may be negative. */
    Level difference(Level level, Level less) {
        long rest = level.rest() - less.rest();
        long carry = rest < 0 ? 1 : 0;
        return new Level(level.whole() - less.whole() - carry, rest + carry * permits);
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

    /**
     * How much of a token bucket is in use. A call raises it, and the refill lowers it. The rate defines its unit.
     *
     * @param rest a part of the unit, in {@code 1/permits}
     */
    record Level(long whole, long rest) {

        static final Level NONE = new Level(0, 0);

        boolean isNone() {
            return whole + rest == 0;
        }

        boolean exceeds(Level other) {
            return whole > other.whole || whole == other.whole && rest > other.rest;
        }

        /** The greater of the two. */
        Level orMore(Level other) {
            return other.exceeds(this) ? other : this;
        }

        /** The smaller of the two. */
        Level orLess(Level other) {
            return exceeds(other) ? other : this;
        }
    }
}
