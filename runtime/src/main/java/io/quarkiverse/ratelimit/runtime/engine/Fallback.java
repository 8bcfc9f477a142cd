package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.Question;

/** Decides by each policy's {@code on-redis-failure} what Redis could not decide. */
final class Fallback {

    private final LocalStore local;
    private final Leases leases;

    Fallback(LocalStore local, Leases leases) {
        this.local = local;
        this.leases = leases;
    }

    Outcome decide(List<Asked> asked, long id) {
        List<Decided> uncounted = new ArrayList<>(0);
        List<Asked> counted = new ArrayList<>(asked.size());
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
            return new Outcome(uncounted);
        }
        Question locally = Decider.question(counted, id);
        Outcome outcome = Decisions.of(counted, locally, local.decideNow(locally), id, Source.FALLBACK, leases);
        return uncounted.isEmpty() && !outcome.isRefused() ? outcome : of(asked, outcome, uncounted);
    }

    private static Outcome of(List<Asked> asked, Outcome counted, List<Decided> uncounted) {
        List<Decided> decisions = new ArrayList<>(counted.decisions().size() + uncounted.size());
        for (Decided decided : counted.decisions()) {
            decisions.add(decided.decision().neverAllowed() ? unlessTogether(decided, asked) : decided);
        }
        decisions.addAll(uncounted);
        return new Outcome(decisions, counted.shadows(), counted.lease());
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
