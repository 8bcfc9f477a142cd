package io.quarkiverse.ratelimit.runtime.engine.refunds;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts up to a maximum, such as the calls that are delayed at the same time. */
public final class BoundedCount {

    private final AtomicInteger count = new AtomicInteger();
    private final int max;

    public BoundedCount(int max) {
        this.max = max;
    }

    public boolean isAtMaximum() {
        return count.get() >= max;
    }

    public boolean tryIncrement() {
        if (count.incrementAndGet() > max) {
            count.decrementAndGet();
            return false;
        }
        return true;
    }

    public void decrement() {
        count.decrementAndGet();
    }
}
