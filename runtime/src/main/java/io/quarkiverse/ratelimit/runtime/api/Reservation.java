package io.quarkiverse.ratelimit.runtime.api;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/**
 * Holds the permits that were acquired for one piece of work, until it is settled or canceled.
 *
 * @param shared whether other instances may end it
 */
record Reservation(PolicyOperations operations, Decision decision, Lease lease, AtomicBoolean shared,
        AtomicBoolean ended) implements ReactiveRateLimitReservation {

    private Reservation(PolicyOperations operations, Decision decision, Lease lease) {
        this(operations, decision, lease, new AtomicBoolean(), new AtomicBoolean());
    }

    /** Reserves permits. Nothing stays reserved if the subscriber cancels before it receives the reservation. */
    static Uni<ReactiveRateLimitReservation> reserve(PolicyOperations operations, CountedCaller caller, long estimate) {
        return Uni.createFrom().deferred(() -> {
            CompletableFuture<Reservation> made = new CompletableFuture<>();
            return keepOnEventLoop(() -> reserved(operations, caller, estimate, made::isCancelled).invoke(reservation -> {
                if (!made.complete(reservation)) {
                    reservation.cancel().subscribeAsCompletionStage();
                }
            })).onCancellation().invoke(() -> {
                if (!made.cancel(false)) {
                    made.join().cancel().subscribeAsCompletionStage();
                }
            });
        });
    }

    /** @param canceled whether the subscriber has canceled */
    private static Uni<Reservation> reserved(PolicyOperations operations, CountedCaller caller, long estimate,
            BooleanSupplier canceled) {
        PermitRequest requested = PermitRequest.of(Arguments.cost(estimate)).asRefundable();
        return caller.resolve(resolved -> {
            Policy inForce = operations.inForce(resolved);
            if (inForce == null) {
                return Uni.createFrom()
                        .item(new Reservation(operations, operations.uncounted(resolved, estimate), Lease.NONE));
            }
            if (estimate > inForce.maxCost()) {
                throw new IllegalArgumentException("Policy " + inForce.name() + " limits concurrency, of which one call can"
                        + " hold 1 to " + Limit.MAX_HELD_PERMITS + " permits, but the cost is " + estimate
                        + ". If a call holds one permit, whatever it costs, set counts=calls on that limit.");
            }
            return operations.parts.calls().decide(new Charge(inForce, requested), resolved.key(), resolved.deadline())
                    .map(outcome -> {
                        outcome.lease().confirm(canceled);
                        return new Reservation(operations, operations.decision(outcome, resolved.key(), estimate),
                                outcome.lease());
                    });
        });
    }

    /** A reservation that was made earlier, perhaps on another instance. */
    static Reservation of(PolicyOperations operations, String id) {
        ReservationId reserved = ReservationId.read(id, operations.policy);
        Decision decision = reserved.decision();
        // only the instance that decided it in its memory can end it
        boolean ended = reserved.ended()
                || decision.source() != Source.REDIS && !reserved.instance().equals(operations.parts.instance());
        return new Reservation(operations, decision, operations.parts.leases().leaseOf(decision), new AtomicBoolean(true),
                new AtomicBoolean(ended));
    }

    @Override
    public String id() {
        if (!ended.get()) {
            shared.set(true);
        }
        // the store does not know the end of a reservation that was not shared before
        return new ReservationId(decision, operations.parts.instance(), !shared.get()).text();
    }

    @Override
    public Uni<RateLimitDecision> settle(long actual) {
        return keepOnEventLoop(() -> {
            if (actual < 0 || actual > Limit.MAX_PERMITS) {
                throw new IllegalArgumentException("The actual cost must be 0 to 1000000000, but is " + actual);
            }
            return decision.allowed() ? end(() -> settled(actual), () -> remaining().map(state -> state))
                    : Uni.createFrom().item(decision);
        });
    }

    @Override
    public Uni<Void> cancel() {
        return keepOnEventLoop(() -> end(() -> operations.parts.refunds().refund(decision),
                () -> Uni.createFrom().voidItem()));
    }

    /** Ends the reservation once. Continues when the subscriber cancels, as there is no second attempt. */
    private <T> Uni<T> end(Supplier<Uni<T>> ending, Supplier<Uni<T>> otherwise) {
        if (!decision.allowed() || !ended.compareAndSet(false, true)) {
            return otherwise.get();
        }
        Uni<Boolean> firstEnd = shared.get() && isLimited() ? operations.parts.refunds().end(decision)
                : Uni.createFrom().item(true);
        Uni<T> result = firstEnd
                .chain(isFirst -> isFirst ? lease.release().chain(() -> ending.get()) : otherwise.get())
                .memoize().indefinitely();
        result.subscribeAsCompletionStage();
        return result;
    }

    /**
     * Refunds or charges the difference between the reserved and the actual cost. Concurrency permits are released with
     * their lease.
     */
    private Uni<RateLimitDecision> settled(long actual) {
        return !isCounted() ? remaining().map(state -> state.withGranted(actual))
                : operations.parts.calls().settle(decision, actual).map(outcome -> {
                    Decision settlement = operations.decision(outcome, decision.key(), actual).withGranted(actual);
                    operations.parts.refunds().exclude(decision, settlement);
                    return settlement;
                });
    }

    /** What remains for the caller. */
    private Uni<Decision> remaining() {
        Uni<Outcome> states = isCounted() ? operations.parts.calls().peek(decision)
                : Uni.createFrom().item(Outcome.NOT_LIMITED);
        return states.map(outcome -> operations.decision(outcome, decision.key(), 0));
    }

    private boolean isCounted() {
        return operations.enabled && isLimited();
    }

    private boolean isLimited() {
        return decision.source() != Source.NOT_LIMITED;
    }
}
