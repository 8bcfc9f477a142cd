package io.quarkiverse.ratelimit;

/** Defines how a token bucket is refilled. */
public enum Refill {

    /** Continuously: one permit each {@code period / permits}. */
    GREEDY,

    /** {@code permits} at once after each whole {@code period} since the first use after the bucket was full. */
    INTERVAL
}
