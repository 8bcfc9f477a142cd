package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
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
 * Delays calls that have acquired their permits in advance, and lets calls with {@code max-wait} wait while their key is
 * paused. When too many calls are delayed, a call is decided without a delay. A canceled call refunds its permits.
 *
 * @param vacancies how many more calls may be delayed
 */
public record DelayedCalls(Decider decider, LeaseRenewal leases, Refunds refunds, Semaphore vacancies, Timers timers,
        LongSupplier ids, Overrides overrides) {

    /**
     * Decides a call. Completes when it may go ahead or is denied. If the subscriber cancels before the reply arrives, refunds
     * what the call has acquired.
     *
     * @param deadline of all requests to Redis together; only the delay comes on top
     */
    Uni<Outcome> decideOrRefund(Call call, Deadline deadline) {
        return call.charges().stream().anyMatch(keyed -> keyed.policy().mayDelay())
                ? Uni.createFrom().deferred(() -> decideUnlessPaused(call, Duration.ZERO, deadline))
                : refundable(call, deadline);
    }

    /**
     * Decides a call, after the pause of its key if the call may wait that long; otherwise the pause denies it. The longest
     * wait includes the pause. If the delay of the call ends during another pause, refunds the call and decides it again.
     *
     * @param call as it was made: {@link #afterWaiting} subtracts the whole time that it has waited
     */
    private Uni<Outcome> decideUnlessPaused(Call call, Duration waited, Deadline deadline) {
        Duration pause = pauseOf(call);
        if (pause.isZero()) {
            return decideOrDelay(waited.isZero() ? call : afterWaiting(call, waited), deadline)
                    .chain(outcome -> outcome.delay().isZero() || pauseOf(call).isZero() ? Uni.createFrom().item(outcome)
                            : refunds.refund(outcome).chain(
                                    () -> decideUnlessPaused(call, waited.plus(outcome.delay()), restarted(deadline))));
        }
        if (!mayWait(call, waited) || !vacancies.tryAcquire()) {
            // denied by the pause, which is a block of the policy of this call
            return decideOrDelay(afterWaiting(call, waited), deadline);
        }
        return timers.after(pause).onTermination().invoke(vacancies::release)
                .chain(() -> decideUnlessPaused(call, waited.plus(pause), restarted(deadline)));
    }

    private Duration pauseOf(Call call) {
        return overrides.areEmpty() ? Duration.ZERO
                : call.charges().stream().map(this::pauseOf).reduce(Duration.ZERO, LimitUsage::longer);
    }

    /** Zero where the pause delays no call. */
    private Duration pauseOf(KeyedCharge keyed) {
        boolean waits = !keyed.charge().shadow && keyed.charge().requested.kind() == OperationKind.ACQUIRE;
        return waits ? overrides.pausedFor(keyed.policy().name(), keyed.key()) : Duration.ZERO;
    }

    private boolean mayWait(Call call, Duration waited) {
        return call.charges().stream().allMatch(keyed -> pauseOf(keyed).isZero()
                || pauseOf(keyed).compareTo(keyed.policy().maxWait().minus(waited)) <= 0);
    }

    /** The call under the block or pause that is in force now, with its longest wait reduced by the time it has waited. */
    private Call afterWaiting(Call call, Duration waited) {
        return call.with(ids.getAsLong(), keyed -> new Charge(
                overrides.withBlock(keyed.policy(), keyed.key()).after(waited), keyed.charge().requested));
    }

    private static Deadline restarted(Deadline deadline) {
        return Deadline.in(Duration.ofNanos(deadline.due() - deadline.began()));
    }

    private Uni<Outcome> decideOrDelay(Call call, Deadline deadline) {
        return vacancies.tryAcquire() ? decideQueued(call, deadline).onTermination().invoke(vacancies::release)
                : refundable(withoutDelay(call), deadline);
    }

    /** Decides a call that waits in a queue, which already counts it as delayed. Otherwise like {@link #decideOrRefund}. */
    Uni<Outcome> decideQueued(Call call, Deadline deadline) {
        return refundable(call, deadline)
                .chain(outcome -> outcome.delay().isZero() ? Uni.createFrom().item(outcome) : delay(outcome));
    }

    private Uni<Outcome> refundable(Call call, Deadline deadline) {
        return Uni.createFrom().deferred(() -> {
            // memoized, as a canceled call still gets its reply, which is then refunded
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

    /** The same call, but denied if it would be delayed. */
    private Call withoutDelay(Call call) {
        return call.with(ids.getAsLong(),
                keyed -> new Charge(keyed.policy().withMaxWait(Duration.ZERO), keyed.charge().requested));
    }
}
