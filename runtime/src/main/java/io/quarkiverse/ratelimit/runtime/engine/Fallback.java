package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;

/** Decides calls by each policy's {@code on-redis-failure} when Redis is unavailable. */
public final class Fallback {

    private final LocalStore local;
    private final int replicas;

    /** @param replicas the number of instances that share the limits when each counts for itself */
    public Fallback(LocalStore local, int replicas) {
        this.local = local;
        this.replicas = replicas;
    }

    Outcome decide(Call call) {
        List<Decision> decidedByMode = new ArrayList<>(0);
        Call counted = new Call(call.id());
        for (PolicyCall policy : call.policies()) {
            Decision decision = decidedByMode(policy);
            if (decision == null) {
                counted.add(policy.charge().dividedBy(replicas), policy.key());
            } else if (!policy.shadow()) {
                decidedByMode.add(decision);
            }
        }
        Outcome others = new Outcome(decidedByMode);
        if (others.isDenied() || counted.policies().isEmpty()) {
            return others;
        }
        Outcome outcome = Outcome.of(counted, local.decideNow(counted.request()), Source.FALLBACK);
        return decidedByMode.isEmpty() && !outcome.isDenied() ? outcome : all(call, outcome, decidedByMode);
    }

    /**
     * {@code null} if the call is counted on this instance, or denied here as its key is blocked. An expression, so that each
     * failure mode must have its case.
     */
    private static Decision decidedByMode(PolicyCall policy) {
        return policy.policy().isBlocked() ? null : switch (policy.policy().onRedisFailure()) {
            case LOCAL -> null;
            case ALLOW -> UncountedDecision.allowedWithoutRedis(policy);
            case DENY -> UncountedDecision.deniedWithoutRedis(policy);
        };
    }

    private static Outcome all(Call call, Outcome counted, List<Decision> decidedByMode) {
        List<Decision> decisions = new ArrayList<>(counted.decisions().size() + decidedByMode.size());
        for (Decision decision : counted.decisions()) {
            decisions.add(decision.neverAllowed() ? unlessTogether(decision, call) : decision);
        }
        decisions.addAll(decidedByMode);
        return new Outcome(decisions, counted.shadows(), counted.lease());
    }

    /**
     * Where only the divided limit is too small for the cost, denies as unavailable, so that the caller may try again.
     */
    private static Decision unlessTogether(Decision never, Call call) {
        for (PolicyCall policy : call.policies()) {
            if (policy.policy().name().equals(never.policy()) && policy.key().equals(never.key())
                    && isWithinCapacity(policy)) {
                return UncountedDecision.deniedWithoutRedis(policy);
            }
        }
        return never;
    }

    private static boolean isWithinCapacity(PolicyCall call) {
        for (PolicyLimit limit : call.policy().limits()) {
            if (limit.charged(call.charge().requested()).cost() > limit.limit().burst()) {
                return false;
            }
        }
        return true;
    }
}
