package io.quarkiverse.ratelimit.runtime.api;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.smallrye.mutiny.Uni;

/** Holds the permits that were acquired for one piece of work, until it is settled or canceled. */
final class Reservation implements ReactiveRateLimitReservation {

    private final ReservationOperations reservations;
    private final Decision decision;
    private final Lease lease;
    private final AtomicBoolean ended = new AtomicBoolean();
    /** Whether other instances may end it. */
    private volatile boolean shared;

    /** @param shared whether other instances may end it */
    Reservation(ReservationOperations reservations, Decision decision, Lease lease, boolean shared) {
        this.reservations = reservations;
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
        return reservations.idOf(decision);
    }

    @Override
    public Uni<RateLimitDecision> settle(long actual) {
        return CallerContext.keepOnEventLoop(() -> {
            if (actual < 0 || actual > Limit.MAX_PERMITS) {
                throw new IllegalArgumentException("The actual cost must be 0 to 1000000000, but is " + actual);
            }
            return decision.allowed()
                    ? end(() -> reservations.settle(decision, actual), () -> reservations.left(decision))
                    : Uni.createFrom().item(decision);
        });
    }

    @Override
    public Uni<Void> cancel() {
        return CallerContext.keepOnEventLoop(() -> end(() -> reservations.refund(decision),
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
        Uni<Boolean> first = shared ? reservations.end(decision) : Uni.createFrom().item(true);
        Uni<T> once = first
                .chain(isFirst -> isFirst ? lease.release().chain(() -> ending.get()) : otherwise.get())
                .memoize().indefinitely();
        once.subscribe().with(ignored -> {
        }, ignored -> {
        });
        return once;
    }
}
