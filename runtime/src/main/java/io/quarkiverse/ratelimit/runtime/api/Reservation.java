package io.quarkiverse.ratelimit.runtime.api;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.smallrye.mutiny.Uni;

/** Holds the permits that were acquired for one piece of work, until it is settled or canceled. */
final class Reservation implements ReactiveRateLimitReservation {

    private final PolicyOperations operations;
    private final PolicyLimiters.Parts parts;
    private final Decision decision;
    private final Lease lease;
    private final AtomicBoolean ended = new AtomicBoolean();
    /** Whether other instances may end it. */
    private volatile boolean shared;

    /** @param shared whether other instances may end it */
    Reservation(PolicyOperations operations, Decision decision, Lease lease, boolean shared) {
        this.operations = operations;
        this.parts = operations.parts();
        this.decision = decision;
        this.lease = lease;
        this.shared = shared;
    }

    @Override
    public Decision decision() {
        return decision;
    }

    @Override
    public String id() {
        shared = true;
        return ReservationId.of(decision, parts.instance());
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
        return keepOnEventLoop(() -> end(() -> parts.refunds().refund(decision, decision.granted()),
                () -> Uni.createFrom().voidItem()));
    }

    /**
     * Marks the reservation as ended here: it was decided in the memory of another instance, so only that one can end
     * it.
     */
    Reservation ofAnotherMemory() {
        ended.set(true);
        return this;
    }

    /** Ends the reservation once. Continues when the subscriber cancels, as there is no second attempt. */
    private <T> Uni<T> end(Supplier<Uni<T>> ending, Supplier<Uni<T>> otherwise) {
        if (!decision.allowed() || !ended.compareAndSet(false, true)) {
            return otherwise.get();
        }
        Uni<Boolean> firstEnd = shared && isLimited() ? parts.refunds().end(decision) : Uni.createFrom().item(true);
        Uni<T> result = firstEnd
                .chain(isFirst -> isFirst ? lease.release().chain(() -> ending.get()) : otherwise.get())
                .memoize().indefinitely();
        result.subscribe().with(ignored -> {
        }, ignored -> {
        });
        return result;
    }

    /**
     * Refunds or charges the difference between the reserved and the actual cost. Concurrency permits are released with
     * their lease.
     */
    private Uni<RateLimitDecision> settled(long actual) {
        return !isCounted() ? remaining().map(state -> state.withGranted(actual))
                : parts.settlement().settle(decision, actual).map(outcome -> {
                    Decision settlement = operations.decision(outcome, decision.key(), actual).withGranted(actual);
                    parts.refunds().exclude(decision, settlement);
                    return settlement;
                });
    }

    /** What remains for the caller. */
    private Uni<Decision> remaining() {
        Uni<Outcome> states = isCounted() ? parts.settlement().peek(decision) : Uni.createFrom().item(Outcome.NOT_LIMITED);
        return states.map(outcome -> operations.decision(outcome, decision.key(), 0));
    }

    private boolean isCounted() {
        return operations.enabled() && isLimited();
    }

    private boolean isLimited() {
        return decision.source() != Source.NOT_LIMITED;
    }
}
