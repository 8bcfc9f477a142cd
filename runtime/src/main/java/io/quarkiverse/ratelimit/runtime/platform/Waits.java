package io.quarkiverse.ratelimit.runtime.platform;

import java.time.Duration;

/** Writes waits as people say them. */
public final class Waits {

    private static final String[] UNITS = { "d", "h", "min", "s" };
    private static final long[] SECONDS = { 86_400, 3_600, 60, 1 };

    private Waits() {
    }

    /**
     * Returns a wait in its two largest units, such as {@code 13 h 12 min}. It is rounded up, so that a caller that waits this
     * long does not come too early, and is at least {@code 1 s}.
     */
    public static String inWords(Duration wait) {
        long seconds = Math.max(1, wait.plusNanos(999_999_999).toSeconds());
        int largest = largestUnit(seconds);
        if (largest + 2 < UNITS.length) {
            long smaller = SECONDS[largest + 1];
            seconds = (seconds + smaller - 1) / smaller * smaller;
            largest = largestUnit(seconds);
        }
        long rest = seconds % SECONDS[largest];
        String text = seconds / SECONDS[largest] + " " + UNITS[largest];
        return rest == 0 ? text : text + " " + rest / SECONDS[largest + 1] + " " + UNITS[largest + 1];
    }

    private static int largestUnit(long seconds) {
        int unit = 0;
        while (SECONDS[unit] > seconds) {
            unit++;
        }
        return unit;
    }
}
