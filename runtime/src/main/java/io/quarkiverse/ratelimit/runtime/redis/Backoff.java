package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.ThreadLocalRandom;

/** Says how long to wait before the next try to connect: twice as long each time, bounded, with jitter. */
final class Backoff {

    private static final long FIRST = 25;
    private static final long LONGEST = 400;

    private long base = FIRST;

    /** Milliseconds, 25 at first and below 600 at last. */
    long next() {
        long wait = base + ThreadLocalRandom.current().nextLong(base / 2);
        base = Math.min(LONGEST, base * 2);
        return wait;
    }

    void reset() {
        base = FIRST;
    }
}
