package io.quarkiverse.ratelimit.runtime.store;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Identifies calls, and this instance, among all others. */
public final class CallIds {

    private final String instance = UUID.randomUUID().toString();
    /** The first id is random, so that instances do not use the same ones. */
    private final AtomicLong last = new AtomicLong(new SecureRandom().nextLong());

    public long next() {
        return last.incrementAndGet();
    }

    public String instance() {
        return instance;
    }
}
