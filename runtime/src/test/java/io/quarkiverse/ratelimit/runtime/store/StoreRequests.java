package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Makes questions, and reads their answers. */
public final class StoreRequests {

    private StoreRequests() {
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

    /** One call that all these policies rules. */
    public static StoreRequest question(String caller, long cost, Policy... policies) {
        List<PolicyRequest> asks = new ArrayList<>();
        for (Policy policy : policies) {
            asks.add(new Charge(policy, Call.of(cost), 1).ask(caller, 0));
        }
        return new StoreRequest(asks);
    }

    /** How every limit of a question that these policies rules stands after this answer. */
    public static List<LimitState> states(StoreRequest question, long cost, long[] reply, Policy... policies) {
        List<LimitState> states = new ArrayList<>();
        for (Policy policy : policies) {
            for (PolicyLimit limit : policy.limits()) {
                states.add(limit.rule().state(limit.name(), reply, LimitRule.FIRST + states.size() * LimitRule.WIDTH,
                        reply[0], Call.of(cost), question.allowed(reply)));
            }
        }
        return states;
    }
}
