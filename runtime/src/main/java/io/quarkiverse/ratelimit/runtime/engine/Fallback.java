package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Undecorated;
import io.smallrye.mutiny.Uni;

/** Decides by each policy's {@code on-redis-failure} what Redis could not decide. */
final class Fallback {

    private final LimitStore local;
    private final Leases leases;

    Fallback(LimitStore local, Leases leases) {
        this.local = local;
        this.leases = leases;
    }

    Uni<Outcome> decide(List<Asked> asked, long id) {
        List<Decided> uncounted = new ArrayList<>();
        List<Asked> counted = new ArrayList<>();
        boolean refused = false;
        for (Asked ask : asked) {
            Policy policy = ask.charge().policy();
            if (policy.onRedisFailure() == OnRedisFailure.LOCAL) {
                counted.add(ask.local());
            } else if (policy.mode() == Mode.ENFORCE) {
                boolean allowed = policy.onRedisFailure() == OnRedisFailure.ALLOW;
                uncounted.add(Decisions.whenAway(ask, allowed));
                refused |= !allowed;
            }
        }
        if (refused || counted.isEmpty()) {
            return Uni.createFrom().item(new Outcome(uncounted));
        }
        Question locally = Decider.question(counted, id);
        return Undecorated.map(local.decide(locally), reply -> {
            Outcome outcome = Decisions.of(counted, locally, reply, id, Source.FALLBACK, leases);
            List<Decided> decisions = new ArrayList<>(outcome.decisions().size() + uncounted.size());
            for (Decided decided : outcome.decisions()) {
                decisions.add(decided.decision().neverAllowed() ? unlessTogether(decided, asked) : decided);
            }
            decisions.addAll(uncounted);
            return new Outcome(decisions, outcome.shadows(), outcome.lease());
        });
    }

    /** What is too much for this instance's part alone is only refused for now, where all instances together admit it. */
    private static Decided unlessTogether(Decided never, List<Asked> asked) {
        for (Asked ask : asked) {
            if (ask.charge().policy().name().equals(never.policy().name()) && ask.caller().equals(never.decision().key())
                    && ask.charge().isEverAdmitted()) {
                return Decisions.whenAway(ask, false);
            }
        }
        return never;
    }
}
