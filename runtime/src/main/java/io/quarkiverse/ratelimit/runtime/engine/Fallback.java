package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
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
        for (KeyedCharge keyed : call.charges()) {
            Decision decision = decidedByMode(keyed);
            if (decision == null) {
                counted.add(keyed.charge().dividedBy(replicas), keyed.key());
            } else if (!keyed.charge().shadow) {
                // a shadow policy without a count reports nothing
                byMode.add(decision);
            }
        }
        Outcome uncounted = new Outcome(byMode);
        if (uncounted.isDenied() || counted.charges().isEmpty()) {
            return uncounted;
        }
        return Outcome.of(counted, local.decideNow(counted.request()), Source.FALLBACK).and(uncounted);
    }

    /**
     * {@code null} if the local store decides: for {@code local}, and for a blocked key, which its penalty denies. A switch
     * expression, so that each failure mode must have its case.
     */
    private Decision decidedByMode(KeyedCharge keyed) {
        PermitRequest requested = keyed.charge().requested;
        long cost = requested.kind() == OperationKind.PEEK ? 0 : requested.cost();
        return keyed.policy().isBlocked() ? null : switch (keyed.policy().onRedisFailure()) {
            case LOCAL -> exceedsShare(keyed) ? unavailable(keyed) : null;
            case ALLOW -> Decision.uncounted(keyed.policy(), keyed.key(), cost, Source.FALLBACK, null);
            case DENY -> unavailable(keyed);
        };
    }

    private static Decision unavailable(KeyedCharge keyed) {
        return Decision.uncounted(keyed.policy(), keyed.key(), 0, Source.FALLBACK, DenialReason.REDIS_UNAVAILABLE);
    }

    /** Whether a limit is too small for the cost only because it is divided, so that the caller may try again. */
    private boolean exceedsShare(KeyedCharge keyed) {
        PermitRequest requested = keyed.charge().requested;
        return replicas > 1 && !keyed.charge().shadow && requested.kind() != OperationKind.CHARGE
                && !exceeds(keyed.policy(), requested) && exceeds(keyed.policy().dividedBy(replicas), requested);
    }

    /** Whether the cost is above the capacity of a limit. */
    private static boolean exceeds(Policy policy, PermitRequest requested) {
        return policy.limits().stream().anyMatch(limit -> limit.charged(requested).least() > limit.limit().burst());
    }
}
