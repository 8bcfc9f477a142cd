package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
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

    public Uni<Outcome> decide(Charge charge, String key, Deadline deadline) {
        return engine.decideOfCode(call(charge, key), deadline, observers());
    }

    /** Decides without notifying observers, for an operation that is not a call of its own, such as a peek. */
    public Uni<Outcome> decideQuietly(Charge charge, String key, Deadline deadline) {
        return engine.decideOfCode(call(charge, key), deadline, Observers.NONE);
    }

    private Observers observers() {
        return engine.observers().ofThisCall();
    }

    private Call call(Charge charge, String key) {
        return new Call(engine.ids().getAsLong(), charge, key);
    }

    /**
     * Notifies observers of a call that no limit counts.
     *
     * @param exempt the policies that do not limit the caller
     */
    public void uncounted(Outcome outcome, List<Policy> exempt) {
        observers().notifyOf(outcome, exempt);
    }

    /**
     * Decides a call that may wait. The call waits in a queue where the policy cannot acquire permits ahead of time.
     *
     * @param charge returns a charge by the limits in force; called for each attempt
     * @param deadline of a call that does not wait in a queue
     */
    public Uni<Outcome> decide(Supplier<Charge> charge, String key, Duration maxWait, Deadline deadline) {
        Policy policy = charge.get().policy;
        Uni<Outcome> outcome = policy.canDelay() || maxWait.isZero() ? decideOnce(charge, key, maxWait, deadline)
                : queued(charge, policy, key, maxWait);
        return observers().notifying(outcome, List.of());
    }

    /** Attempts do not count as denials. A call that is denied in the end is decided once more, and then counts as one. */
    private Uni<Outcome> queued(Supplier<Charge> charge, Policy policy, String key, Duration maxWait) {
        boolean counts = policy.countsDenials() && policy.mode() == Mode.ENFORCE;
        Supplier<Charge> attempt = counts ? () -> uncounted(charge.get()) : charge;
        return queues.decide(policy.name() + ' ' + key, maxWait, left -> Uni.createFrom()
                .deferred(() -> engine.delayed().decideQueued(delayable(attempt.get(), key, left), deadline())))
                .chain(waited -> counts && countsAsDenial(waited) ? decideOnce(charge, key, Duration.ZERO, deadline())
                        : Uni.createFrom().item(waited));
    }

    private static Charge uncounted(Charge charge) {
        return charge.with(charge.policy.withPenalty(charge.policy.penalty().uncounted()));
    }

    /** Whether a limit denies the call, so that the denial counts towards a block. */
    private static boolean countsAsDenial(Outcome outcome) {
        return outcome.decisions().stream().anyMatch(decision -> decision.reason() == DenialReason.LIMIT_REACHED
                || decision.reason() == DenialReason.COST_ABOVE_CAPACITY);
    }

    private Uni<Outcome> decideOnce(Supplier<Charge> charge, String key, Duration maxWait, Deadline deadline) {
        return Uni.createFrom().deferred(
                () -> engine.delayed().decideOrRefund(delayable(charge.get(), key, maxWait), deadline));
    }

    private Call delayable(Charge charge, String key, Duration maxWait) {
        return call(new Charge(charge.policy.withMaxWait(maxWait), charge.requested), key);
    }

    /**
     * Replaces the estimated cost that was reserved before some work by the actual cost: refunds or charges the difference.
     * Limits that count calls do not change, and concurrency permits are released with their lease. A reservation that
     * acquired nothing is not charged. Returns the states afterwards.
     */
    public Uni<Outcome> settle(Decision reserved, long actual) {
        if (reserved.granted() == 0) {
            // a policy in shadow mode would have denied it
            return peek(reserved);
        }
        Policy settled = inForce(reserved).settled();
        long more = actual - reserved.granted();
        if (more > 0 && !settled.limits().isEmpty()) {
            PermitRequest charge = new PermitRequest(more, OperationKind.CHARGE, 0).asRefundable();
            return decideQuietly(new Charge(settled, charge), reserved.key(), deadline());
        }
        return refunds.refundCost(reserved, -more).chain(() -> peek(reserved));
    }

    public Uni<Outcome> peek(Decision reserved) {
        return decideQuietly(new Charge(inForce(reserved), PermitRequest.PEEK), reserved.key(), deadline());
    }

    /**
     * By the limits in force now. A limiter that is not configured has no others than those it applied. A plan of the earlier
     * call comes before an override for all callers.
     */
    private Policy inForce(Decision reserved) {
        Policy policy = policies.getOrDefault(reserved.policy(), reserved.appliedPolicy());
        return policy.plans().isEmpty() ? engine.overrides().inForce(policy, null, reserved.key())
                : engine.overrides().forKey(reserved.appliedPolicy(), reserved.key());
    }
}
