package io.quarkiverse.ratelimit.runtime.engine;

import java.util.concurrent.atomic.AtomicInteger;

/** Bounds how many calls are held back at the same time. */
final class Places {

    private final AtomicInteger taken = new AtomicInteger();
    private final int max;

    Places(int max) {
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
