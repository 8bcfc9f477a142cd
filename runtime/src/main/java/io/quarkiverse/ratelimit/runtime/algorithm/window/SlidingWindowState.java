package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.MAX_PERMITS_KEPT;

/** The state of a key: the counts of two windows as of the last charged call, and since when it counts. */
record SlidingWindowState(long period, long since, long last, long previous, long count) {

    /** The state for this period, as of now. */
    SlidingWindowState current(long period, long now) {
        return (this.period == period ? this : converted(period, now)).rolled(now);
    }

    /** Moves both counts to the window of the last call. */
    private SlidingWindowState converted(long period, long now) {
        long windows = windows(now);
        long sum = windows > 1 ? 0 : count + (windows < 1 ? previous : 0);
        return new SlidingWindowState(period, Math.max(now, last + 1), last, 0, Math.min(sum, MAX_PERMITS_KEPT));
    }

    private SlidingWindowState rolled(long now) {
        long windows = windows(now);
        if (windows < 0) {
            return new SlidingWindowState(period, last + 1, now, 0, Math.min(previous + count, MAX_PERMITS_KEPT));
        }
        return windows == 0 ? this : new SlidingWindowState(period, since, last, windows == 1 ? count : 0, 0);
    }

    /** The state after a refund of permits of each window. */
    SlidingWindowState without(long ofPrevious, long ofCurrent) {
        return new SlidingWindowState(period, since, last, Math.max(0, previous - ofPrevious), Math.max(0, count - ofCurrent));
    }

    /** How many windows the time is after the last call. */
    long windows(long time) {
        return time / period - last / period;
    }

    boolean isEmpty() {
        return previous + count == 0;
    }

    long endsAt() {
        return (last / period + (count > 0 ? 2 : previous > 0 ? 1 : 0)) * period;
    }
}
