package io.quarkiverse.ratelimit.runtime.store;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Provides the limiter's clock, which tests can move ahead of the stores' own clocks. */
public final class LimiterClock {

    private final AtomicLong ahead = new AtomicLong();

    /** By how many microseconds the clock is ahead. */
    public LongSupplier offset() {
        return ahead::get;
    }

    /** The time by this instance's clock, in microseconds since the epoch. It goes back only at a {@link #reset()}. */
    public LongSupplier ofThisInstance(Clock started) {
        long origin = TimeUnit.MILLISECONDS.toMicros(started.millis()) - TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
        return () -> origin + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) + ahead.get();
    }

    /** @throws IllegalArgumentException when the time is negative */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("The clock can only be moved ahead, not by " + time);
        }
        ahead.addAndGet(time.toNanos() / 1000);
    }

    public void reset() {
        ahead.set(0);
    }
}
