package io.quarkiverse.ratelimit;

import java.util.Set;

/** Defines how a limit counts. In configuration, a constant is written in lower case with dashes. */
public enum Algorithm {

    /**
     * Bucket that starts full with {@code burst} permits, and is refilled with {@code permits} per {@code period}. In one
     * {@code period} up to {@code burst + permits} can be acquired: those in the full bucket, and those that are refilled
     * meanwhile. By default {@code burst} equals {@code permits}, so that is nearly twice the {@code permits}. Refilled
     * continuously it is the generic cell rate algorithm (GCRA) of ITU-T I.371.
     */
    TOKEN_BUCKET("period", "burst", "refill", "max-wait", "prefetch"),

    /**
     * Even pacing: one call proceeds each {@code period / permits}. A call that comes too early is delayed by at most
     * {@code max-wait}, otherwise denied. It is a token bucket with a burst of 1 that waits.
     */
    LEAKY_BUCKET("period", "max-wait"),

    /**
     * Windows that start at multiples of {@code period} since the epoch, or with a minute, hour, day, week, month or year of
     * the calendar. Around the edge of two windows up to twice the {@code permits} can be acquired.
     */
    FIXED_WINDOW("period", "calendar", "zone", "prefetch"),

    /**
     * Estimated count of the last {@code period}: the count of the current fixed window, and the part of the previous
     * window's count that still overlaps.
     */
    SLIDING_WINDOW("period"),

    /** At most {@code permits} in any span of {@code period}, exactly. It stores when each of them was acquired. */
    SLIDING_LOG("period"),

    /** At most {@code permits} calls at the same time, over all instances. */
    CONCURRENCY("lease-time");

    private final Set<String> properties;

    Algorithm(String... properties) {
        this.properties = Set.of(properties);
    }

    /**
     * Returns whether limits of this algorithm have a configuration property that others do not have, such as
     * {@code max-wait}. All have {@code permits} and {@code counts}.
     */
    public boolean has(String property) {
        return properties.contains(property);
    }
}
