package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.OverflowReply;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Leases;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;

/**
 * Decides calls by each policy's {@code on-redis-failure} when the store fails.
 *
 * @param replicas number of instances that share the limits when each counts for itself
 */
public record Fallback(LocalStore local, int replicas, Leases leases, FailureLog mistakes) {

    public Outcome recover(Call call, Throwable failure) {
        mistakes.failedUnlessRedis(failure);
        boolean mayBeCounted = !(failure instanceof RedisStoreException ofRedis) || ofRedis.mayBeCounted();
        if (mayBeCounted) {
            leases.releaseUnanswered(call);
        }
        return decide(call);
    }

    /**
     * Decides a call here. A policy that cannot be decided denies the call. An overflow that cannot is asked like one that
     * denies.
     */
    private Outcome decide(Call call) {
        List<Decision> ofFirst = new ArrayList<>(0);
        Map<KeyedCharge, Decision> decided = new IdentityHashMap<>();
        List<KeyedCharge> asked = new ArrayList<>(), undecided = new ArrayList<>();
        String complete = null;
        for (KeyedCharge keyed : call.charges()) {
            if (keyed.first() != null && keyed.first().equals(complete)) {
                continue;
            }
            Decision decision = decidedWithoutCount(keyed);
            if (decision == null) {
                asked.add(keyed);
                undecided.add(keyed);
            } else if (keyed.isOverflow()) {
                // one that allows each call ends the chain
                KeyedCharge uncounted = keyed.with(keyed.charge().withoutLimits());
                boolean allows = decision.allowed() || keyed.charge().shadow();
                decided.put(uncounted, allows ? allowed(keyed) : decision);
                asked.add(uncounted);
                if (allows) {
                    undecided.add(uncounted);
                    complete = keyed.first();
                }
            } else if (!keyed.charge().shadow()) {
                // a shadow policy without a count reports nothing
                ofFirst.add(decision);
                complete = keyed.first();
            }
        }
        Outcome outcome = new Outcome(ofFirst);
        if (outcome.isDenied() || asked.isEmpty()) {
            return outcome;
        }
        Call rest = new Call(call.id(), undecided, call.deadline());
        StoreReply reply = undecided.isEmpty() ? new StoreReply(0, List.of()) : local.decideNow(shareOf(rest));
        return new OverflowReply(rest, reply, Source.FALLBACK, decided).outcome(asked).and(outcome);
    }

    /** Returns the request of a call under this instance's share of the limits. */
    private StoreRequest shareOf(Call call) {
        return replicas == 1 ? call.request()
                : call.with(call.id(), call.deadline(), keyed -> keyed.charge().isWithoutLimits() ? keyed.charge()
                        : new Charge(keyed.policy().dividedBy(replicas), keyed.charge().requested())).request();
    }

    /**
     * Returns the decision of {@code on-redis-failure}; {@code null} if the local store decides: for {@code local}, and for
     * a key that its penalty blocks. A switch expression, so that each failure mode must have its case.
     */
    private Decision decidedWithoutCount(KeyedCharge keyed) {
        boolean isCountedHere = keyed.policy().isBlocked() || keyed.charge().isWithoutLimits();
        return isCountedHere ? null : switch (keyed.policy().onRedisFailure()) {
            case LOCAL -> exceedsShare(keyed) ? unavailable(keyed) : null;
            case ALLOW -> allowed(keyed);
            case DENY -> unavailable(keyed);
        };
    }

    private static Decision allowed(KeyedCharge keyed) {
        PermitRequest requested = keyed.charge().requested();
        return Decision.uncounted(keyed.policy(), keyed.key(), requested.kind() == OperationKind.PEEK ? 0 : requested.cost(),
                Source.FALLBACK, null);
    }

    private static Decision unavailable(KeyedCharge keyed) {
        return Decision.uncounted(keyed.policy(), keyed.key(), 0, Source.FALLBACK, DenialReason.REDIS_UNAVAILABLE);
    }

    /** Returns whether a limit is too small for the cost only because it is divided, so that the caller may try again. */
    private boolean exceedsShare(KeyedCharge keyed) {
        PermitRequest requested = keyed.charge().requested();
        return replicas > 1 && !keyed.charge().shadow() && requested.kind() != OperationKind.CHARGE
                && !exceeds(keyed.policy(), requested) && exceeds(keyed.policy().dividedBy(replicas), requested);
    }

    /** Returns whether the cost is above the capacity of a limit. */
    private static boolean exceeds(Policy policy, PermitRequest requested) {
        return policy.limits().stream().anyMatch(limit -> limit.charged(requested).least() > limit.limit().burst());
    }
}
