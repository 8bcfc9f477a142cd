package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
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
        for (PolicyPart part : call.parts()) {
            Decision decision = decidedByMode(part);
            if (decision == null) {
                counted.add(part.charge().dividedBy(replicas), part.key());
            } else if (!part.charge().shadow) {
                decidedByMode.add(decision);
            }
        }
        Outcome others = new Outcome(decidedByMode);
        if (others.isDenied() || counted.parts().isEmpty()) {
            return others;
        }
        Outcome outcome = Outcome.of(counted, local.decideNow(counted.request()), Source.FALLBACK);
        return decidedByMode.isEmpty() && !outcome.isDenied() ? outcome : all(call, outcome, decidedByMode);
    }

    /**
     * {@code null} if the call is counted on this instance, or denied here as its key is blocked. An expression, so that each
     * failure mode must have its case.
     */
    private static Decision decidedByMode(PolicyPart part) {
        return part.policy().isBlocked() ? null : switch (part.policy().onRedisFailure()) {
            case LOCAL -> null;
            case ALLOW -> UncountedDecision.allowedWithoutRedis(part);
            case DENY -> UncountedDecision.deniedWithoutRedis(part);
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
        for (PolicyPart part : call.parts()) {
            if (part.policy().name().equals(never.policy()) && part.key().equals(never.key())
                    && isWithinCapacity(part)) {
                return UncountedDecision.deniedWithoutRedis(part);
            }
        }
        return never;
    }

    private static boolean isWithinCapacity(PolicyPart part) {
        for (PolicyLimit limit : part.policy().limits()) {
            if (limit.charged(part.charge().requested).cost() > limit.limit().burst()) {
                return false;
            }
        }
        return true;
    }
}
