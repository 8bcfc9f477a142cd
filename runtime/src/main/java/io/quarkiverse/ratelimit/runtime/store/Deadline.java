package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;

/**
 * Limits the time of a decision, all its parts and resolver beans included. Delays of the call come on top.
 *
 * @param due when it must be over, by {@link System#nanoTime}
 */
public record Deadline(long due) {

    /** The deadline of a decision that begins now. */
    public static Deadline in(Duration timeout) {
        return new Deadline(System.nanoTime() + timeout.toNanos());
    }

    /** @param now by {@link System#nanoTime} */
    public boolean isOver(long now) {
        return due - now <= 0;
    }
}
