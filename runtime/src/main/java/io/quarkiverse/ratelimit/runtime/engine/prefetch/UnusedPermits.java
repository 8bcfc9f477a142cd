package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchLot.Exchange;
import io.quarkiverse.ratelimit.runtime.engine.prefetch.PrefetchedKey.Table;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/** Refunds permits that were acquired ahead and that no call has used. */
final class UnusedPermits {

    private final Table keys;
    private final Refunds refunds;
    private final Timers timers;
    private final LongSupplier clock;

    /** @param clock nanoseconds */
    UnusedPermits(Table keys, Refunds refunds, Timers timers, LongSupplier clock) {
        this.keys = keys;
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
        key.refund(refunds).subscribe().with(done -> {
        });
    }

    /** Refunds permits that arrived too late to hand them out; {@code null} for none. */
    void refund(PrefetchLot late) {
        if (late != null) {
            late.refund(refunds, () -> {
            }).subscribe().with(done -> {
            });
        }
    }

    /** Completes when this instance holds no permits of the key, or the time is over. */
    Uni<Void> refunded(PrefetchedKey key, Deadline deadline) {
        Uni<Void> refunded = Uni.createFrom().deferred(() -> endOfExchange(key)).chain(() -> key.refund(refunds));
        return timers.within(Duration.ofNanos(deadline.due() - System.nanoTime()), refunded).onFailure().recoverWithNull();
    }

    /** Completes when this instance holds no permits of the call's keys; {@code null} if it holds none now. */
    Uni<Void> refunded(Call call, Deadline deadline) {
        Uni<Void> all = null;
        for (int i = 0; i < call.parts().size(); i++) {
            PolicyPart part = call.parts().get(i);
            PrefetchedKey key = part.policy().prefetch().isOff() ? null : keys.known(part.policy().name(), part.key());
            if (key != null && key.isHolding()) {
                Uni<Void> refund = refunded(key, deadline);
                all = all == null ? refund : all.chain(() -> refund);
            }
        }
        return all;
    }

    /** Refunds what this instance holds of all keys now. */
    Uni<Void> refundAll() {
        List<Uni<Void>> all = new ArrayList<>(List.of(Uni.createFrom().voidItem()));
        keys.forEach(key -> all.add(key.refund(refunds)));
        return Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    private static Uni<Void> endOfExchange(PrefetchedKey key) {
        Exchange underWay;
        synchronized (key) {
            underWay = key.exchange();
        }
        return underWay == null ? Uni.createFrom().voidItem() : underWay.end();
    }
}
