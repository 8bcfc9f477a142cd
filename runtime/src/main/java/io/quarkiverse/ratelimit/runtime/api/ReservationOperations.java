package io.quarkiverse.ratelimit.runtime.api;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Makes the reservations of one policy, and finds those that were made before. */
final class ReservationOperations {

    private final PolicyOperations operations;
    private final Policy policy;
    private final PolicyLimiters.Parts parts;

    ReservationOperations(PolicyOperations operations) {
        this.operations = operations;
        this.policy = operations.policy();
        this.parts = operations.parts();
    }

    Uni<ReactiveRateLimitReservation> reserve(CountedCaller caller, long estimate) {
        return Uni.createFrom().<ReactiveRateLimitReservation> deferred(() -> {
            AtomicReference<Reservation> received = new AtomicReference<>();
            AtomicBoolean canceled = new AtomicBoolean();
            return CallerContext.keepOnEventLoop(() -> reserved(caller, estimate, canceled::get).invoke(reservation -> {
                received.set(reservation);
                if (canceled.get()) {
                    cancel(reservation);
                }
            })).onCancellation().invoke(() -> {
                canceled.set(true);
                cancel(received.get());
            });
        });
    }

    /** @param canceled whether the subscriber has canceled */
    private Uni<Reservation> reserved(CountedCaller caller, long estimate, BooleanSupplier canceled) {
        PermitRequest requested = PermitRequest.of(Arguments.cost(estimate)).asRefundable();
        return caller.resolve(resolved -> {
            Policy inForce = operations.inForce(resolved);
            if (inForce == null) {
                return Uni.createFrom()
                        .item(new Reservation(operations, operations.uncounted(resolved, estimate), Lease.NONE, false));
            }
            return parts.calls().decide(new Charge(holdable(inForce, estimate), requested), resolved.key(), resolved.deadline())
                    .map(outcome -> {
                        outcome.lease().confirm(canceled);
                        return new Reservation(operations, operations.decision(outcome, resolved.key(), estimate),
                                outcome.lease(), false);
                    });
        });
    }

    private static Policy holdable(Policy inForce, long cost) {
        if (cost > inForce.maxCost()) {
            throw new IllegalArgumentException(
                    "Policy " + inForce.name() + " limits concurrency, of which one call can hold 1 to "
                            + Limit.MAX_HELD_PERMITS + " permits, but the cost is " + cost
                            + ". If a call holds one permit, whatever it costs, set counts=calls on that limit.");
        }
        return inForce;
    }

    /** Cancels a reservation that the subscriber did not receive, so that nobody else can end it. */
    private static void cancel(Reservation reservation) {
        if (reservation != null) {
            reservation.cancel().subscribe().with(ignored -> {
            }, ignored -> {
            });
        }
    }

    /** A reservation that was made earlier, perhaps on another instance. */
    Reservation reservation(String id) {
        ReservationId reserved = ReservationId.read(id, policy);
        Decision decision = reserved.decision();
        Reservation reservation = new Reservation(operations, decision, parts.leases().leaseOf(decision), true);
        return decision.source() == Source.REDIS || reserved.instance().equals(parts.instance()) ? reservation
                : reservation.ofAnotherMemory();
    }
}
