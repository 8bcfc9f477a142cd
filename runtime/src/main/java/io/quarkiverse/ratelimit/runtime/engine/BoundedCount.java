package io.quarkiverse.ratelimit.runtime.engine;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts up to a maximum, such as the calls that are delayed at the same time. */
public final class BoundedCount {

    private final AtomicInteger taken = new AtomicInteger();
    private final int max;

    public BoundedCount(int max) {
        this.max = max;
    }

    boolean areTaken() {
        return taken.get() >= max;
    }

    boolean take() {
        if (taken.incrementAndGet() > max) {
            taken.decrementAndGet();
            return false;
        }
        return true;
    }

    void leave() {
        taken.decrementAndGet();
    }
}
