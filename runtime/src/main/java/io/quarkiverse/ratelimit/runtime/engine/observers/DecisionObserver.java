package io.quarkiverse.ratelimit.runtime.engine.observers;

import java.util.Collection;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Observes the decisions of policies. Methods may run on any thread and must not block. The limiter notifies every bean
 * of this type.
 *
 * <p>
 * Observers are notified when a call goes ahead or is denied. A denied call is reported once for each policy that
 * denies it; if all of a policy and its overflows deny it, once for the one that the caller is told. An allowed call is
 * reported once for each of its policies, also for those that denied it before their overflow. A peek is not reported.
 */
@FunctionalInterface
public interface DecisionObserver {

    /**
     * Prepares for the policies that are configured and in force. Called once at startup, before all decisions.
     *
     * @return whether it is needed; otherwise it is not notified
     */
    default boolean expect(Collection<Policy> policies) {
        return true;
    }

    /** @param decision {@code null} where the caller is exempt, as nothing was decided */
    void decided(String policy, Effect effect, RateLimitDecision decision);

    /**
     * Observes an allowed call of a policy with {@code count-when} that counts in the end. Called when the status of the
     * response is known, or at once where there is none.
     */
    default void counted(RateLimitDecision decision) {
    }

    /** Observes a refund that is given up while its permits are in use. */
    default void refundLost(String policy) {
    }

    /** Observes a pause of a key of this policy, for which a called service or code has asked. */
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
        /** Exempt caller: the policy does not limit it. */
        EXEMPT,
        /** Call that the policy denies, and its overflow allows. */
        OVERFLOW,
        ALLOWED,
        /** Allowed call that the policy would deny if it were not in shadow mode. */
        SHADOW_DENIED,
        DENIED;

        private final String text = Policy.written(this);

        /** Returns the name in metrics, traces and the Dev UI. */
        public String text() {
            return text;
        }
    }
}
