package io.quarkiverse.ratelimit.runtime.engine.events;

import java.util.Collection;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Observes the decisions of policies. Methods may run on any thread and must not block. The limiter notifies every bean
 * of this type.
 *
 * <p>
 * Observers are notified when a call goes ahead or is denied. A denied call is reported once for each policy that
 * denies it, an allowed call once for each of its policies. A peek is not reported.
 */
@FunctionalInterface
public interface DecisionObserver {

    /**
     * Called once at startup, before all decisions, with the policies that are configured and in force.
     *
     * @return whether it is needed; otherwise it is not notified
     */
    default boolean expect(Collection<Policy> policies) {
        return true;
    }

    /** @param decision {@code null} where the caller is exempt, as nothing was decided */
    void decided(String policy, Effect effect, RateLimitDecision decision);

    /** Called when a refund is given up while its permits are in use. */
    default void refundLost(String policy) {
    }

    /** Called when a key of this policy is paused, as a called service asks for it. */
    default void paused(String policy) {
    }

    /** Needs denials only, including those in shadow mode. */
    interface OfDenials extends DecisionObserver {
    }

    /** Has its own observer for each call. */
    interface OfCalls extends DecisionObserver {

        /** Returns the observer of the call that begins now. Runs on the thread of the call and with its context. */
        DecisionObserver ofThisCall();
    }

    /** What a policy did to a call, in ascending order of importance. */
    enum Effect {
        /** The policy does not limit the caller. */
        EXEMPT,
        ALLOWED,
        /** The call was allowed, but the policy would have denied it if it were not in shadow mode. */
        SHADOW_DENIED,
        DENIED;

        private final String text = Policy.written(this);

        /** The name in metrics, traces and the Dev UI. */
        public String text() {
            return text;
        }
    }
}
