package io.quarkiverse.ratelimit.runtime.engine;

import java.util.concurrent.TimeUnit;

import org.jboss.logging.Logger;

/** Reports refunds that are given up while their permits are in use: counts each, and logs their number once per minute. */
final class LostRefunds {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private final Observers observers;
    private long unlogged;
    private boolean logged;
    private long loggedAt;

    LostRefunds(Observers observers) {
        this.observers = observers;
    }

    void add(String policy, String reason) {
        observers.refundLost(policy);
        LOG.debugf("A refund of policy %s is lost: %s", policy, reason);
        long count = toLog(System.nanoTime());
        if (count > 0) {
            LOG.warnf("Refunds that Redis has not confirmed are lost: %s since this was last logged, once per minute. Their"
                    + " permits come back with time. The latest, of policy %s: %s", count, policy, reason);
        }
    }

    /** The number of lost refunds to log now, or 0 during the pause. */
    private synchronized long toLog(long now) {
        unlogged++;
        if (logged && now - loggedAt < PAUSE) {
            return 0;
        }
        long count = unlogged;
        unlogged = 0;
        logged = true;
        loggedAt = now;
        return count;
    }
}
