package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Makes questions, and reads their answers. */
public final class Questions {

    private Questions() {
    }

    /** An enforced policy whose limits are named {@code l0}, {@code l1} and so on. */
    public static Policy policy(String name, Limit... limits) {
        return policy(name, Mode.ENFORCE, limits);
    }

    public static Policy policy(String name, Mode mode, Limit... limits) {
        List<PolicyLimit> named = new ArrayList<>();
        for (Limit limit : limits) {
            named.add(new PolicyLimit("l" + named.size(), limit));
        }
        return new Policy(name, named, null, MissingKey.IP, OnRedisFailure.LOCAL, mode, true);
    }

    /** One call that all these policies guard. */
    public static Question question(String caller, long cost, Policy... policies) {
        List<Ask> asks = new ArrayList<>();
        for (Policy policy : policies) {
            asks.add(new Ask(new Charge(policy, cost, 1), caller));
        }
        return new Question(asks);
    }

    /** How every limit of the question stands after this answer. */
    public static List<LimitState> states(Question question, long[] reply) {
        List<LimitState> states = new ArrayList<>();
        for (Ask ask : question.asks()) {
            for (PolicyLimit limit : ask.charge().policy().limits()) {
                states.add(limit.rule().state(limit.name(), reply, states.size() * LimitRule.WIDTH, ask.charge().cost(),
                        question.admitted(reply)));
            }
        }
        return states;
    }
}
