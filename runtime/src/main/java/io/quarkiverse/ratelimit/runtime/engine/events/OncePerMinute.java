package io.quarkiverse.ratelimit.runtime.engine.events;

import java.util.concurrent.TimeUnit;

/** Counts events that are logged at most once per minute. */
public final class OncePerMinute {

    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private long unlogged;
    private boolean logged;
    private long loggedAt;

    /**
     * Counts one event. Returns the number of events to log now, or 0 during the pause.
     *
     * @param now by {@link System#nanoTime}
     */
    public synchronized long count(long now) {
        unlogged++;
        if (logged && now - loggedAt < PAUSE) {
            return 0;
        }
        long count = unlogged;
        unlogged = 0;
        logged = true;
        loggedAt = now;
        return count;
    }
}
