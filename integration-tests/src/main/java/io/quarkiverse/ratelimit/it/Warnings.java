package io.quarkiverse.ratelimit.it;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;

/** Warns a caller once, whichever instances observe the event. */
@ApplicationScoped
public class Warnings {

    private final RateLimiter once;
    private final AtomicInteger observed = new AtomicInteger();
    private final AtomicInteger sent = new AtomicInteger();

    Warnings(@RateLimitPolicy("warned-once") RateLimiter once) {
        this.once = once;
    }

    void warn(@ObservesAsync RateLimitApproached approached) {
        if (once.forKey(approached.decision().key()).tryAcquire().allowed()) {
            sent.incrementAndGet();
        }
        observed.incrementAndGet();
    }

    public int observed() {
        return observed.get();
    }

    public int sent() {
        return sent.get();
    }
}
