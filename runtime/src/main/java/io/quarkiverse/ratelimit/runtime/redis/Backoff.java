package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.ThreadLocalRandom;

/** Computes the wait before the next attempt to connect: none at first, then twice as long each time, with jitter. */
final class Backoff {

    private static final long FIRST = 25;
    private static final long LONGEST = 400;

    private long base;

    /** Milliseconds: 0 at first, always below 600. */
    long next() {
        long wait = base == 0 ? 0 : base + ThreadLocalRandom.current().nextLong(base / 2);
        base = Math.max(FIRST, Math.min(LONGEST, base * 2));
        return wait;
    }

    /** Whether the next wait is 0. */
    boolean isReset() {
        return base == 0;
    }

    void reset() {
        base = 0;
    }
}
