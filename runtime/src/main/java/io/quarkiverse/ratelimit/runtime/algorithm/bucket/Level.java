package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

/**
 * How much of a token bucket is in use. A call raises it, and the refill lowers it. {@link Rate} defines its unit.
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
