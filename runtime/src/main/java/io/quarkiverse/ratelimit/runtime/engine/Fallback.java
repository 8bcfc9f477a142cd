package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Decides calls by each policy's {@code on-redis-failure} when Redis is unavailable. */
final class Fallback {

    private final LocalStore local;
    private final LeaseRenewal leases;
    private final int replicas;

    /** @param replicas the number of instances that share the limits when each counts for itself */
    Fallback(LocalStore local, LeaseRenewal leases, int replicas) {
        this.local = local;
        this.leases = leases;
        this.replicas = replicas;
    }

    Outcome decide(StoreRequest request) {
        List<Decision> decidedByMode = new ArrayList<>(0);
        List<PolicyRequest> counted = new ArrayList<>(request.parts().size());
        for (PolicyRequest policy : request.parts()) {
            Decision decision = decidedByMode(policy);
            if (decision == null) {
                counted.add(divided(policy, request.id()));
            } else if (policy.policy().mode() == Mode.ENFORCE) {
                decidedByMode.add(decision);
            }
        }
        Outcome others = new Outcome(decidedByMode);
        if (others.isDenied() || counted.isEmpty()) {
            return others;
        }
        StoreRequest locally = new StoreRequest(counted, request.equalGrants(), request.id());
        StoreReply reply = local.decideNow(locally);
        Outcome outcome = Outcome.of(locally, reply, Source.FALLBACK, leases.begin(locally, reply, Source.FALLBACK));
        return decidedByMode.isEmpty() && !outcome.isDenied() ? outcome : all(request, outcome, decidedByMode);
    }

    /**
     * {@code null} if the call is counted on this instance, or denied here as its key is blocked. An expression, so that each
     * failure mode must have its case.
     */
    private static Decision decidedByMode(PolicyRequest policy) {
        return policy.policy().isBlocked() ? null : switch (policy.policy().onRedisFailure()) {
            case LOCAL -> null;
            case ALLOW -> UncountedDecision.allowedWithoutRedis(policy);
            case DENY -> UncountedDecision.deniedWithoutRedis(policy);
        };
    }

    /** The same request by this instance's part of the limits. */
    private PolicyRequest divided(PolicyRequest policy, long id) {
        if (replicas == 1) {
            return policy;
        }
        Charge part = new Charge(policy.policy().dividedBy(replicas), policy.requested());
        return new PolicyRequest(policy.policy(), policy.requested(), policy.key(),
                part.request(policy.key(), id).operations());
    }

    private static Outcome all(StoreRequest request, Outcome counted, List<Decision> decidedByMode) {
        List<Decision> decisions = new ArrayList<>(counted.decisions().size() + decidedByMode.size());
        for (Decision decision : counted.decisions()) {
            decisions.add(decision.neverAllowed() ? unlessTogether(decision, request) : decision);
        }
        decisions.addAll(decidedByMode);
        return new Outcome(decisions, counted.shadows(), counted.lease());
    }

    /**
     * Where only the divided limit is too small for the cost, denies as unavailable, so that the caller may try again.
     */
    private static Decision unlessTogether(Decision never, StoreRequest request) {
        for (PolicyRequest policy : request.parts()) {
            if (policy.policy().name().equals(never.policy()) && policy.key().equals(never.key())
                    && isWithinCapacity(policy)) {
                return UncountedDecision.deniedWithoutRedis(policy);
            }
        }
        return never;
    }

    private static boolean isWithinCapacity(PolicyRequest request) {
        for (PolicyLimit limit : request.policy().limits()) {
            if (limit.charged(request.requested()).cost() > limit.limit().burst()) {
                return false;
            }
        }
        return true;
    }
}
