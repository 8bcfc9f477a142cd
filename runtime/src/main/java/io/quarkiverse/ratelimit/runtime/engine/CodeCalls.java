package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.delay.WaitQueues;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of code, at once or in a queue, and settles reservations.
 *
 * @param policies as configured, by name
 */
public record CodeCalls(Engine engine, WaitQueues queues, Refunds refunds, Map<String, Policy> policies) {

    public Deadline deadline() {
        return Deadline.in(engine.timeout());
    }

    /** @param charges of one policy, and of the overflows that the call may reach */
    public Uni<Outcome> decide(List<KeyedCharge> charges, Deadline deadline) {
        return engine.notifying(decideQuietly(charges, deadline));
    }

    /** Decides without notifying observers, for an operation that is not a call of its own, such as a peek. */
    public Uni<Outcome> decideQuietly(List<KeyedCharge> charges, Deadline deadline) {
        return engine.decideQuietly(new Call(engine.ids().getAsLong(), charges, deadline));
    }

    private Uni<Outcome> decideQuietly(Charge charge, String key) {
        return decideQuietly(List.of(new KeyedCharge(charge, key)), deadline());
    }

    /**
     * Decides a call that may wait. The call waits in a queue where the policy cannot acquire permits ahead of time, and where
     * its overflows may allow the call earlier.
     *
     * @param charges returns the charges by the limits in force; called for each attempt
     * @param deadline of a call that does not wait in a queue
     */
    public Uni<Outcome> decideOrWait(Supplier<List<KeyedCharge>> charges, Duration maxWait, Deadline deadline) {
        List<KeyedCharge> now = charges.get();
        boolean waitsAhead = now.size() == 1 && now.get(0).policy().canDelay();
        return engine.notifying(waitsAhead || maxWait.isZero() ? decideOnce(charges, maxWait, deadline)
                : queued(charges, now, maxWait));
    }

    /** Decides attempts, which do not count as denials. If the last one is denied, decides once more, and counts that one. */
    private Uni<Outcome> queued(Supplier<List<KeyedCharge>> charges, List<KeyedCharge> now, Duration maxWait) {
        boolean counts = now.stream().anyMatch(keyed -> keyed.policy().countsDenials() && !keyed.charge().shadow());
        Supplier<List<KeyedCharge>> attempt = !counts ? charges
                : () -> charges.get().stream().map(keyed -> keyed.with(keyed.charge().withoutCountingDenials())).toList();
        return queues.decide(now.get(0).policy().name() + ' ' + now.get(0).key(), maxWait, (left, place) -> Uni.createFrom()
                .deferred(() -> engine.full().decideOrDelay(delayable(attempt.get(), left, deadline()), place)))
                .chain(waited -> counts && countsAsDenial(waited) ? decideOnce(charges, Duration.ZERO, deadline())
                        : Uni.createFrom().item(waited));
    }

    /** Returns whether a limit denies a call that no other policy allows, so that the denial counts towards a block. */
    private static boolean countsAsDenial(Outcome outcome) {
        return outcome.isDenied() && outcome.decisions().stream().flatMap(decision -> decision.asked().stream())
                .anyMatch(decision -> decision.reason() == DenialReason.LIMIT_REACHED
                        || decision.reason() == DenialReason.COST_ABOVE_CAPACITY);
    }

    private Uni<Outcome> decideOnce(Supplier<List<KeyedCharge>> charges, Duration maxWait, Deadline deadline) {
        return Uni.createFrom().deferred(() -> engine.full().decide(delayable(charges.get(), maxWait, deadline)));
    }

    /** Returns a call that may be delayed, but not if it has overflows, each of which may allow it earlier. */
    private Call delayable(List<KeyedCharge> charges, Duration maxWait, Deadline deadline) {
        Duration longest = charges.size() == 1 ? maxWait : Duration.ZERO;
        return new Call(engine.ids().getAsLong(), charges.stream().map(keyed -> keyed.charge().isWithoutLimits() ? keyed
                : keyed.with(new Charge(keyed.policy().withMaxWait(longest), keyed.charge().requested()))).toList(), deadline);
    }

    /**
     * Replaces the estimated cost that was reserved before some work by the actual cost: refunds or charges the difference.
     * Limits that count calls do not change, and concurrency permits are released with their lease. A reservation that
     * acquired nothing is not charged. Returns the states afterwards.
     */
    public Uni<Outcome> settle(Decision reserved, long actual) {
        if (!reserved.charged()) {
            // a policy in shadow mode would have denied it
            return peek(reserved);
        }
        Policy settled = inForce(reserved).settled();
        long more = actual - reserved.granted();
        if (more > 0 && !settled.limits().isEmpty()) {
            PermitRequest charge = new PermitRequest(more, OperationKind.CHARGE, 0).asRefundable();
            return decideQuietly(new Charge(settled, charge), reserved.key());
        }
        return refunds.refundCost(reserved, -more).chain(() -> peek(reserved));
    }

    public Uni<Outcome> peek(Decision reserved) {
        return peek(inForce(reserved), reserved.key());
    }

    public Uni<Outcome> peek(Policy inForce, String key) {
        return decideQuietly(new Charge(inForce, PermitRequest.PEEK), key);
    }

    /**
     * Returns the policy with the limits in force now. A limiter that is not configured has only those that it applied. A
     * plan of the earlier call comes before an override for all callers.
     */
    private Policy inForce(Decision reserved) {
        Policy policy = policies.getOrDefault(reserved.policy(), reserved.appliedPolicy());
        return policy.plans().isEmpty() ? engine.overrides().inForce(policy, null, reserved.key())
                : engine.overrides().forKey(reserved.appliedPolicy(), reserved.key());
    }
}
