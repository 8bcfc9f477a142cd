package io.quarkiverse.ratelimit.runtime.engine.charge;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Gives each call an id that no other call has. */
public final class CallIds {

    /** The first id is random, so that instances do not use the same ones. */
    private final AtomicLong last = new AtomicLong(new SecureRandom().nextLong());

    public long next() {
        return last.incrementAndGet();
    }
}
