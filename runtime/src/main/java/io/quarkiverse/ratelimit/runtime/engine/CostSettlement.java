package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/**
 * Replaces an estimated cost that was reserved before some work by the cost that is known afterwards.
 *
 * @param policies as configured, by name
 */
public record CostSettlement(CodeCalls calls, Refunds refunds, LimitsInForce limits, Map<String, Policy> policies) {

    /**
     * Refunds or charges the difference. Limits that count calls do not change, and concurrency permits are released with
     * their lease. A reservation that acquired nothing is not charged. Returns the states afterwards.
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
            return calls.decideQuietly(new Charge(settled, charge), reserved.key(), calls.deadline());
        }
        return refunds.refundCost(reserved, -more).chain(() -> peek(reserved));
    }

    /** The states of the limits of a decision now. */
    public Uni<Outcome> peek(Decision reserved) {
        return calls.decideQuietly(new Charge(inForce(reserved), PermitRequest.PEEK), reserved.key(), calls.deadline());
    }

    /** By the limits in force now. A limiter that is not configured has no others than those it applied. */
    private Policy inForce(Decision reserved) {
        return limits.forLaterCall(policies.getOrDefault(reserved.policy(), reserved.appliedPolicy()), reserved);
    }
}
