package io.quarkiverse.ratelimit.runtime.engine.refunds;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.events.OncePerMinute;

/** Reports refunds that are given up while their permits are in use: counts each, and logs their number once per minute. */
final class LostRefunds {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final Observers observers;
    private final OncePerMinute lost = new OncePerMinute();

    LostRefunds(Observers observers) {
        this.observers = observers;
    }

    void add(String policy, String reason) {
        observers.refundLost(policy);
        LOG.debugf("A refund of policy %s is lost: %s", policy, reason);
        long count = lost.count(System.nanoTime());
        if (count > 0) {
            LOG.warnf("Refunds that Redis has not confirmed are lost: %s since this was last logged, once per minute. Their"
                    + " permits come back with time. The latest, of policy %s: %s", count, policy, reason);
        }
    }
}
