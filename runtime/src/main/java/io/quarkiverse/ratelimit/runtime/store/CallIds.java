package io.quarkiverse.ratelimit.runtime.store;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Identifies calls among all others. */
public final class CallIds {

    /** The first id is random, so that instances do not use the same ones. */
    private final AtomicLong last = new AtomicLong(new SecureRandom().nextLong());

    public long next() {
        return last.incrementAndGet();
    }
}
