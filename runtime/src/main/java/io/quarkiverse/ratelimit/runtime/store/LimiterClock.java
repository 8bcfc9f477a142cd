package io.quarkiverse.ratelimit.runtime.store;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/** Provides the limiter's clock, which tests can move ahead of the stores' own clocks. */
@Singleton
public final class LimiterClock {

    private final AtomicLong offset = new AtomicLong();
    private final List<LongConsumer> followers = new CopyOnWriteArrayList<>();

    /** Microseconds to add to the clock of a store. */
    public LongSupplier offset() {
        return offset::get;
    }

    /** The time by this instance's clock, in microseconds since the epoch. It goes back only at a {@link #reset()}. */
    public LongSupplier ofThisInstance(Clock started) {
        long origin = TimeUnit.MILLISECONDS.toMicros(started.millis()) - TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
        return () -> origin + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) + offset.get();
    }

    /** Like {@link System#nanoTime}, but moved ahead together with this clock. It goes back only at a {@link #reset()}. */
    public long nanoTime() {
        return System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(offset.get());
    }

    /** @param follower gets the new offset in microseconds whenever this clock is moved */
    public void moveAlso(LongConsumer follower) {
        followers.add(follower);
    }

    private void move(LongConsumer follower) {
        follower.accept(offset.get());
    }

    public synchronized void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("The clock can only be moved ahead, not by " + time);
        }
        offset.addAndGet(LimitUsage.micros(time));
        followers.forEach(this::move);
    }

    public synchronized void reset() {
        offset.set(0);
        followers.forEach(this::move);
    }
}
