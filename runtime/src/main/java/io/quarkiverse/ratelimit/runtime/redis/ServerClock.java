package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Clock;
import java.util.concurrent.TimeUnit;

/** Estimates the time of Redis from its last reply, or from the clock of the application before the first reply. */
final class ServerClock {

    private volatile long ahead;

    ServerClock(Clock application) {
        ahead = TimeUnit.MILLISECONDS.toMicros(application.millis()) - monotonic();
    }

    /** Microseconds since the epoch. */
    long now() {
        return monotonic() + ahead;
    }

    /** Records the time of Redis in a reply that just arrived. */
    void saw(long now) {
        ahead = now - monotonic();
    }

    private static long monotonic() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }
}
