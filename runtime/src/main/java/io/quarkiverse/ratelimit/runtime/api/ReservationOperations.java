package io.quarkiverse.ratelimit.runtime.api;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Makes, settles and ends the reservations of one policy. */
final class ReservationOperations {

    private final PolicyOperations operations;
    private final Policy policy;
    private final LimiterParts parts;

    ReservationOperations(PolicyOperations operations, LimiterParts parts) {
        this.operations = operations;
        this.policy = operations.policy();
        this.parts = parts;
    }

    Uni<ReactiveRateLimitReservation> reserve(PassedKey key, long estimate) {
        return Uni.createFrom().<ReactiveRateLimitReservation> deferred(() -> {
            AtomicReference<Reservation> made = new AtomicReference<>();
            AtomicBoolean canceled = new AtomicBoolean();
            return CallerContext.keepOnEventLoop(() -> reserved(key, estimate, canceled::get).invoke(reservation -> {
                made.set(reservation);
                if (canceled.get()) {
                    cancel(reservation);
                }
            }))
                    .onCancellation().invoke(() -> {
                        canceled.set(true);
                        cancel(made.get());
                    });
        });
    }

    /** @param canceled whether the subscriber has canceled */
    private Uni<Reservation> reserved(PassedKey key, long estimate, BooleanSupplier canceled) {
        PermitRequest requested = PermitRequest.of(Arguments.cost(estimate)).asRefundable();
        String stored = operations.keys().required(key).stored();
        return operations.planned(key, (plan, deadline) -> {
            Policy inForce = operations.enabled() ? parts.limits().inForce(policy, plan, stored) : null;
            if (inForce == null) {
                if (operations.enabled()) {
                    parts.calls().exempt(policy);
                }
                return Uni.createFrom().item(new Reservation(this,
                        UncountedDecision.allowed(policy, stored, estimate, Source.NOT_LIMITED), Lease.NONE, false));
            }
            return parts.calls().decide(new Charge(holdable(inForce, estimate), requested), stored, deadline)
                    .map(outcome -> {
                        outcome.lease().confirm(canceled);
                        return new Reservation(this, operations.decision(outcome, key, estimate), outcome.lease(), false);
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
        Reservation reservation = new Reservation(this, decision, parts.leases().leaseOf(decision), true);
        return decision.source() == Source.REDIS || reserved.instance().equals(parts.instance()) ? reservation
                : reservation.ofAnotherMemory();
    }

    String idOf(Decision reserved) {
        return ReservationId.of(reserved, parts.instance());
    }

    /** Ends a reservation, and returns whether no instance has ended it before. */
    Uni<Boolean> end(Decision reserved) {
        return reserved.source() == Source.NOT_LIMITED ? Uni.createFrom().item(true) : parts.refunds().end(reserved);
    }

    Uni<Void> refund(Decision reserved) {
        return parts.refunds().refund(reserved, reserved.granted());
    }

    /**
     * Refunds or charges the difference between the reserved and the actual cost. Concurrency permits are released with
     * their lease.
     */
    Uni<RateLimitDecision> settle(Decision reserved, long actual) {
        if (!isCounted(reserved)) {
            return leftOf(reserved).map(left -> left.withGranted(actual));
        }
        return parts.settlement().settle(reserved, actual).map(outcome -> {
            Decision settled = decision(outcome, reserved, actual).withGranted(actual);
            parts.refunds().exclude(reserved, settled);
            return settled;
        });
    }

    /** What is left for the caller of a reservation. */
    Uni<RateLimitDecision> left(Decision reserved) {
        return leftOf(reserved).map(left -> left);
    }

    private Uni<Decision> leftOf(Decision reserved) {
        Uni<Outcome> peeked = isCounted(reserved)
                ? parts.settlement().peek(reserved)
                : Uni.createFrom().item(Outcome.NOT_LIMITED);
        return peeked.map(outcome -> decision(outcome, reserved, 0));
    }

    private boolean isCounted(Decision reserved) {
        return operations.enabled() && reserved.source() != Source.NOT_LIMITED;
    }

    private Decision decision(Outcome outcome, Decision reserved, long cost) {
        return operations.decision(outcome, new PassedKey(List.of(), reserved.key()), cost);
    }
}
