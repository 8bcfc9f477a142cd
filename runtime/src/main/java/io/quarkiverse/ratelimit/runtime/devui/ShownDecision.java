package io.quarkiverse.ratelimit.runtime.devui;

import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision;

/**
 * A decision as text.
 *
 * @param key the key in its stored form
 * @param retryAfter the time until the same call is allowed; empty without a wait
 */
public record ShownDecision(String policy, String key, boolean allowed, long permits, long remaining, long granted,
        String delay, String retryAfter, String resetAfter, String source, List<ShownLimit> limits) {

    static ShownDecision of(RateLimitDecision decision) {
        return new ShownDecision(decision.policy(), decision.key(), decision.allowed(), decision.permits(),
                decision.remaining(), decision.granted(), Notation.wait(decision.delay()),
                Notation.wait(decision.retryAfter()), Notation.wait(decision.resetAfter()), Notation.of(decision.source()),
                decision.limits().stream().map(ShownLimit::of).toList());
    }
}
