package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;

/**
 * Limits the time of a decision, all its parts and resolver beans included. Delays of the call come on top.
 *
 * @param began when the decision began, by {@link System#nanoTime}
 * @param due when it must be over, by {@link System#nanoTime}
 */
public record Deadline(long began, long due) {

    /** The deadline of a decision that begins now. */
    public static Deadline in(Duration timeout) {
        long now = System.nanoTime();
        return new Deadline(now, now + timeout.toNanos());
    }

    /** @param now by {@link System#nanoTime} */
    public boolean isOver(long now) {
        return due - now <= 0;
    }
}
