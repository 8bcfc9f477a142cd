package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Delays calls that have acquired their permits ahead of time. When too many calls are delayed, a call is decided
 * without a delay. A canceled call refunds its permits.
 */
public final class DelayedCalls {

    private final Decider decider;
    private final LeaseRenewal leases;
    private final Refunds refunds;
    private final Semaphore delayed;
    private final Timers timers;
    private final LongSupplier ids;
    private final PausedCalls paused;

    public DelayedCalls(Decider decider, LeaseRenewal leases, Refunds refunds, Semaphore delayed, Timers timers,
            LongSupplier ids, Overrides overrides) {
        this.decider = decider;
        this.leases = leases;
        this.refunds = refunds;
        this.delayed = delayed;
        this.timers = timers;
        this.ids = ids;
        this.paused = new PausedCalls(overrides, refunds, delayed, timers, ids);
    }

    /**
     * Decides a call. Completes when it may go ahead or is denied. If the subscriber cancels before the reply arrives, refunds
     * what the call has acquired.
     *
     * @param deadline of all requests to Redis together; only the delay comes on top
     */
    Uni<Outcome> decideOrRefund(Call call, Deadline deadline) {
        return mayDelay(call) ? paused.decide(call, deadline, this::decideOrDelay) : refundable(call, deadline);
    }

    private Uni<Outcome> decideOrDelay(Call call, Deadline deadline) {
        return delayed.availablePermits() == 0 ? refundable(withoutDelay(call), deadline)
                : refundable(call, deadline).chain(outcome -> outcome.delay().isZero() ? Uni.createFrom().item(outcome)
                        : delayed.tryAcquire() ? delay(outcome).onTermination().invoke(delayed::release)
                                : refunds.refund(outcome, deadline)
                                        .chain(() -> refundable(withoutDelay(call), deadline)));
    }

    /** Decides a call that waits in a queue, which already counts it as delayed. Otherwise like {@link #decideOrRefund}. */
    Uni<Outcome> decideQueued(Call call, Deadline deadline) {
        return refundable(call, deadline)
                .chain(outcome -> outcome.delay().isZero() ? Uni.createFrom().item(outcome) : delay(outcome));
    }

    private Uni<Outcome> refundable(Call call, Deadline deadline) {
        return Uni.createFrom().deferred(() -> {
            Uni<Outcome> outcome = decider.decide(call, deadline, Observers.NONE)
                    .map(decided -> leases.begin(call, decided)).memoize().indefinitely();
            return outcome.onCancellation().invoke(() -> outcome.chain(refunds::refund).subscribe().with(ignored -> {
            }));
        });
    }

    private Uni<Outcome> delay(Outcome outcome) {
        outcome.lease().confirm();
        return timers.after(outcome.delay())
                .onCancellation().call(() -> refunds.refund(outcome))
                .replaceWith(outcome);
    }

    private static boolean mayDelay(Call call) {
        return call.parts().stream().anyMatch(part -> part.policy().mayDelay());
    }

    /** The same call, but denied if it would be delayed. */
    private Call withoutDelay(Call call) {
        return call.with(ids.getAsLong(),
                charge -> new Charge(charge.policy.withMaxWait(Duration.ZERO), charge.requested));
    }
}
