package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/** Refunds permits that were acquired ahead and that no call has used. */
final class UnusedPermits {

    private final Refunds refunds;
    private final Timers timers;
    private final LongSupplier clock;

    /** @param clock nanoseconds */
    UnusedPermits(Refunds refunds, Timers timers, LongSupplier clock) {
        this.refunds = refunds;
        this.timers = timers;
        this.clock = clock;
    }

    /** Refunds what is left when its time is over. */
    void watch(PrefetchedKey key) {
        long left = key.watchFor(clock.getAsLong());
        if (left > 0) {
            timers.after(Duration.ofNanos(left)).subscribe().with(over -> watch(key));
        } else {
            refund(key);
        }
    }

    /** Refunds what this instance holds of the key now. */
    void refund(PrefetchedKey key) {
        Uni<Void> refund = key.refund(refunds);
        if (refund != null) {
            refund.subscribe().with(done -> {
            });
        }
    }

    /** Completes when this instance holds no permits of the key, or the time is over. */
    Uni<Void> refunded(PrefetchedKey key, Deadline deadline) {
        return Uni.createFrom().<Void> emitter(caller -> onEnd(key, () -> {
            Uni<Void> refund = key.refund(refunds);
            if (refund == null) {
                caller.complete(null);
            } else {
                refund.subscribe().with(caller::complete);
            }
        })).ifNoItem().after(Duration.ofNanos(Math.max(1, deadline.due() - System.nanoTime()))).recoverWithItem((Void) null);
    }

    private static void onEnd(PrefetchedKey key, Runnable task) {
        PrefetchExchange underWay;
        synchronized (key) {
            underWay = key.exchange();
        }
        if (underWay == null) {
            task.run();
        } else {
            underWay.onEnd(task);
        }
    }
}
