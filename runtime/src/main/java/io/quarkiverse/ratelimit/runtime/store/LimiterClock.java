package io.quarkiverse.ratelimit.runtime.store;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/** Provides the limiter's clock, which tests can move ahead of the stores' own clocks. */
@Singleton
public final class LimiterClock {

    private final List<LongConsumer> followers = new CopyOnWriteArrayList<>();
    /** By how many microseconds tests have moved this clock ahead. */
    private volatile long offset;

    /**
     * Returns the time by the wall clock of this instance, in microseconds since the epoch. It steps both ways when that is
     * set, and jumps ahead after the machine was suspended.
     */
    public LongSupplier ofThisInstance(Clock wall) {
        return () -> {
            Instant now = wall.instant();
            return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1_000 + offset;
        };
    }

    /** Returns a time in microseconds that passes evenly, also when the wall clock is set, to count down what is left. */
    public LongSupplier countdown() {
        long origin = System.nanoTime();
        return () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - origin) + offset;
    }

    /** Returns {@link System#nanoTime}, moved ahead together with this clock. It goes back only at a {@link #reset()}. */
    public long nanoTime() {
        return System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(offset);
    }

    /** @param follower gets the new offset in microseconds whenever this clock is moved */
    public void moveAlso(LongConsumer follower) {
        followers.add(follower);
    }

    public synchronized void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("The clock can only be moved ahead, not by " + time);
        }
        moveTo(offset + LimitUsage.micros(time));
    }

    public synchronized void reset() {
        moveTo(0);
    }

    private void moveTo(long newOffset) {
        offset = newOffset;
        followers.forEach(follower -> follower.accept(newOffset));
    }
}
