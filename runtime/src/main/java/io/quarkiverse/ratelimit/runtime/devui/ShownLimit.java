package io.quarkiverse.ratelimit.runtime.devui;

import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/**
 * A limit of a policy, and how it stood when a call was decided.
 *
 * @param numbers in a few words
 * @param permits the capacity
 * @param retryAfter when the same call is admitted, and {@code resetAfter} when the limit is full; empty for nothing to
 *        wait for
 */
public record ShownLimit(String name, String numbers, boolean allowed, long permits, long remaining, String retryAfter,
        String resetAfter) {

    static List<ShownLimit> of(List<PolicyLimit> limits) {
        return limits.stream().map(limit -> new ShownLimit(limit.name(), Notation.of(limit.limit()), true,
                limit.limit().burst(), limit.limit().burst(), "", "")).toList();
    }

    static ShownLimit of(LimitState state) {
        return new ShownLimit(state.limit(), Notation.of(state.numbers()), state.allowed(), state.permits(), state.remaining(),
                Notation.wait(state.retryAfter()), Notation.wait(state.resetAfter()));
    }
}
