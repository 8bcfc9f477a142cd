package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;

/**
 * Decides calls by each policy's {@code on-redis-failure} when Redis is unavailable.
 *
 * @param replicas the number of instances that share the limits when each counts for itself
 */
public record Fallback(LocalStore local, int replicas) {

    Outcome decide(Call call) {
        List<Decision> byMode = new ArrayList<>(0);
        Call counted = new Call(call.id());
        for (PolicyPart part : call.parts()) {
            Decision decision = decidedByMode(part);
            if (decision == null) {
                counted.add(part.charge().dividedBy(replicas), part.key());
            } else if (!part.charge().shadow) {
                byMode.add(decision);
            }
        }
        Outcome others = new Outcome(byMode);
        if (others.isDenied() || counted.parts().isEmpty()) {
            return others;
        }
        return Outcome.of(counted, local.decideNow(counted.request()), Source.FALLBACK).and(others);
    }

    /**
     * {@code null} if the call is counted on this instance, or denied here as its key is blocked. A switch expression, so
     * that each failure mode must have its case.
     */
    private Decision decidedByMode(PolicyPart part) {
        PermitRequest requested = part.charge().requested;
        long cost = requested.kind() == OperationKind.PEEK ? 0 : requested.cost();
        return part.policy().isBlocked() ? null : switch (part.policy().onRedisFailure()) {
            case LOCAL -> exceedsShare(part) ? Decision.unavailable(part.policy(), part.key()) : null;
            case ALLOW -> Decision.uncounted(part.policy(), part.key(), cost, Source.FALLBACK);
            case DENY -> Decision.unavailable(part.policy(), part.key());
        };
    }

    /** Whether a limit is too small for the cost only because it is divided, so that the caller may try again. */
    private boolean exceedsShare(PolicyPart part) {
        PermitRequest requested = part.charge().requested;
        return replicas > 1 && !part.charge().shadow && requested.kind() != OperationKind.CHARGE
                && !exceeds(part.policy(), requested) && exceeds(part.policy().dividedBy(replicas), requested);
    }

    /** Whether the cost is above the capacity of a limit. */
    private static boolean exceeds(Policy policy, PermitRequest requested) {
        return policy.limits().stream().anyMatch(limit -> limit.charged(requested).least() > limit.limit().burst());
    }
}
