package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Says how far the limiter's clock is ahead of the stores' own; only tests move it. */
public final class LimiterClock {

    private final AtomicLong ahead = new AtomicLong();

    /** Microseconds. */
    public long ahead() {
        return ahead.get();
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
