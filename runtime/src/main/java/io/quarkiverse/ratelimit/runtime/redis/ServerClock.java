package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Clock;
import java.util.concurrent.TimeUnit;

/** Estimates Redis' time by its last answer; before the first one by the application's. */
final class ServerClock {

    private volatile long ahead;

    ServerClock(Clock application) {
        ahead = TimeUnit.MILLISECONDS.toMicros(application.millis()) - monotonic();
    }

    /** Microseconds since the epoch. */
    long now() {
        return monotonic() + ahead;
    }

    /** Redis has just said that it is so late. */
    void saw(long now) {
        ahead = now - monotonic();
    }

    private static long monotonic() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }
}
