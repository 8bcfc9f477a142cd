package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.Question;

/** Turns a store's numbers into decisions. */
final class Decisions {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration RETRY_WHEN_AWAY = Duration.ofSeconds(1);

    private Decisions() {
    }

    /** What the store's answer means for every enforced policy of the question. */
    static List<Decided> of(Question question, long[] reply, Source source) {
        List<Decided> decisions = new ArrayList<>(question.asks().size());
        boolean admitted = question.admitted(reply);
        int at = 0;
        for (Ask ask : question.asks()) {
            Charge charge = ask.charge();
            int limits = charge.policy().limits().size();
            if (LOG.isDebugEnabled() && !Question.admits(reply, at, limits)) {
                LOG.debugf("Policy %s %s %s", charge.policy().name(),
                        charge.policy().mode() == Mode.ENFORCE ? "refuses" : "would refuse", ask.caller());
            }
            if (charge.policy().mode() == Mode.ENFORCE) {
                decisions.add(new Decided(charge.policy(), decision(charge, ask.caller(), reply, at, admitted, source), false));
            }
            at += limits * LimitRule.WIDTH;
        }
        return decisions;
    }

    private static RateLimitDecision decision(Charge charge, String caller, long[] reply, int at, boolean charged,
            Source source) {
        List<PolicyLimit> limits = charge.policy().limits();
        List<LimitState> states = new ArrayList<>(limits.size());
        boolean allowed = true;
        long remaining = Long.MAX_VALUE;
        Duration reset = Duration.ZERO;
        for (int i = 0; i < limits.size(); i++) {
            LimitState state = limits.get(i).rule()
                    .state(limits.get(i).name(), reply, at + i * LimitRule.WIDTH, charge.cost(), charged);
            states.add(state);
            allowed &= state.allowed();
            remaining = Math.min(remaining, state.remaining());
            reset = state.resetAfter().compareTo(reset) > 0 ? state.resetAfter() : reset;
        }
        LimitState speaker = Speaker.of(states, null);
        return new RateLimitDecision(charge.policy().name(), speaker.limit(), caller, allowed, speaker.permits(),
                remaining, charged ? charge.cost() : 0, Duration.ZERO, speaker.retryAfter(), reset, source, states);
    }

    /** Refused as nobody can be charged: a part of the key is missing. */
    static Decided withoutCaller(Charge charge) {
        return new Decided(charge.policy(), uncounted(charge, "", false, Duration.ZERO, Source.REDIS), false);
    }

    /** Admitted or refused without counting, as Redis is away. */
    static Decided whenAway(Ask ask, boolean allowed) {
        return new Decided(ask.charge().policy(),
                uncounted(ask.charge(), ask.caller(), allowed, allowed ? Duration.ZERO : RETRY_WHEN_AWAY,
                        Source.FALLBACK),
                !allowed);
    }

    private static RateLimitDecision uncounted(Charge charge, String caller, boolean allowed, Duration retryAfter,
            Source source) {
        Policy policy = charge.policy();
        PolicyLimit first = policy.limits().get(0);
        return new RateLimitDecision(policy.name(), first.name(), caller, allowed, first.limit().burst(), 0,
                0, Duration.ZERO, retryAfter, Duration.ZERO, source, List.of());
    }
}
