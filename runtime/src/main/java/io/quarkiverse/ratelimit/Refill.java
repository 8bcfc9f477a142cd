package io.quarkiverse.ratelimit;

/** When the permits of a token bucket come back. */
public enum Refill {

    /** Evenly, all the time: one each {@code period / permits}. */
    GREEDY,

    /** All {@code permits} at once, each whole {@code period} since the first use after the bucket was full. */
    INTERVAL
}
