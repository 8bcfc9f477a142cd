package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.PolicyDecision;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Decides calls by each policy's {@code on-redis-failure} when Redis is unavailable. */
final class Fallback {

    private final LocalStore local;
    private final LeaseRenewal leases;

    Fallback(LocalStore local, LeaseRenewal leases) {
        this.local = local;
        this.leases = leases;
    }

    Outcome decide(List<KeyedCharge> asked, long id) {
        List<PolicyDecision> uncounted = new ArrayList<>(0);
        List<KeyedCharge> counted = new ArrayList<>(asked.size());
        boolean denied = false;
        for (KeyedCharge ask : asked) {
            Policy policy = ask.charge().policy();
            if (policy.onRedisFailure() == OnRedisFailure.LOCAL) {
                counted.add(ask.local());
            } else if (policy.mode() == Mode.ENFORCE) {
                boolean allowed = policy.onRedisFailure() == OnRedisFailure.ALLOW;
                uncounted.add(DecisionFactory.whenUnavailable(ask, allowed));
                denied |= !allowed;
            }
        }
        if (denied || counted.isEmpty()) {
            return new Outcome(uncounted);
        }
        StoreRequest locally = Decider.question(counted, id);
        Outcome outcome = DecisionFactory.of(counted, locally, local.decideNow(locally), id, Source.FALLBACK, leases);
        return uncounted.isEmpty() && !outcome.isDenied() ? outcome : of(asked, outcome, uncounted);
    }

    private static Outcome of(List<KeyedCharge> asked, Outcome counted, List<PolicyDecision> uncounted) {
        List<PolicyDecision> decisions = new ArrayList<>(counted.decisions().size() + uncounted.size());
        for (PolicyDecision decided : counted.decisions()) {
            decisions.add(decided.decision().neverAllowed() ? unlessTogether(decided, asked) : decided);
        }
        decisions.addAll(uncounted);
        return new Outcome(decisions, counted.shadows(), counted.lease());
    }

    /**
     * Denies only for now what costs too much for this instance's part of a limit, where the whole limit can allow it.
     */
    private static PolicyDecision unlessTogether(PolicyDecision never, List<KeyedCharge> asked) {
        for (KeyedCharge ask : asked) {
            if (ask.charge().policy().name().equals(never.policy().name()) && ask.caller().equals(never.decision().key())
                    && ask.charge().isEverAllowed()) {
                return DecisionFactory.whenUnavailable(ask, false);
            }
        }
        return never;
    }
}
