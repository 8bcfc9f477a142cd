package io.quarkiverse.ratelimit.runtime.devui;

import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/**
 * A limit of a policy, and its state in a decision.
 *
 * @param definition the limit in short form
 * @param permits the capacity
 * @param retryAfter the time until the same call is allowed; empty without a wait
 * @param resetAfter the time until the limit is full; empty without a wait
 */
public record ShownLimit(String name, String definition, boolean allowed, long permits, long remaining, String retryAfter,
        String resetAfter) {

    static List<ShownLimit> of(List<PolicyLimit> limits) {
        return limits.stream().map(limit -> new ShownLimit(limit.name(), Notation.of(limit.limit()), true,
                limit.limit().burst(), limit.limit().burst(), "", "")).toList();
    }

    static ShownLimit of(LimitState state) {
        return new ShownLimit(state.limit(), Notation.of(state.definition()), state.allowed(), state.permits(),
                state.remaining(),
                Notation.wait(state.retryAfter()), Notation.wait(state.resetAfter()));
    }
}
