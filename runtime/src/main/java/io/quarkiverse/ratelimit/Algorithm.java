package io.quarkiverse.ratelimit;

/** The rule by which a limit counts; in configuration a constant is written in lower case with dashes. */
public enum Algorithm {

    /**
     * A bucket that starts full with {@code burst} permits and is refilled with {@code permits} per {@code period}.
     * Refilled evenly it is the generic cell rate algorithm (GCRA) of ITU-T I.371.
     */
    TOKEN_BUCKET,

    /**
     * Even pacing: calls go ahead one each {@code period / permits}; one that comes too early is held back, for at most
     * {@code max-wait}. It is a token bucket with a burst of 1 that waits.
     */
    LEAKY_BUCKET,

    /**
     * Counts in windows that begin at multiples of {@code period} since the epoch, or with a calendar's minute, hour, day,
     * week, month or year. Around the edge of two windows up to twice the {@code permits} can be taken.
     */
    FIXED_WINDOW,

    /**
     * Estimates the count of the last {@code period}: that of the current fixed window, and as much of the previous one's
     * as still overlaps.
     */
    SLIDING_WINDOW,

    /** At most {@code permits} in any span of {@code period}, exactly; remembers when each of them was taken. */
    SLIDING_LOG,

    /** At most {@code permits} calls at the same time, over all instances. */
    CONCURRENCY
}
