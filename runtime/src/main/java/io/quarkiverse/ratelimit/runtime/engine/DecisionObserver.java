package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Collection;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Is told what policies decide. Every bean of this type is: it must not block, and may be told on any thread.
 *
 * <p>
 * A call is told when it goes ahead or is refused, once for each policy that had a part in that: of a refused call those
 * that refuse it, of an admitted one all. Looking is no call.
 */
@FunctionalInterface
public interface DecisionObserver {

    /** Told at the start, before all decisions: which policies are configured and in force. */
    default void expect(Collection<Policy> policies) {
    }

    /** What is told of the call that begins now, on its thread and with its context. */
    default DecisionObserver ofThisCall() {
        return this;
    }

    /** @param decision {@code null} where the caller is exempt, as nothing was decided */
    void decided(String policy, Effect effect, RateLimitDecision decision);
}
