package io.quarkiverse.ratelimit;

import java.util.Objects;

/**
 * Fired when a policy denies a call, at most once per second for each key of a policy, however many calls are denied. Only
 * asynchronous observers get this CDI event. They run on worker threads:
 *
 * <pre>
 * void onExceeded(&#64;ObservesAsync RateLimitExceeded exceeded) {
 *     alerts.send(exceeded.policy(), exceeded.decision().key());
 * }
 * </pre>
 *
 * Policies in shadow mode and decisions without a count fire no event. When more than 10 000 keys are denied in one second, or
 * 1000 events wait for their observers, further events are dropped. Failures of observers are logged at most once per minute.
 */
public final class RateLimitExceeded {

    private final RateLimitDecision decision;

    /** @param decision of the policy that denied the call */
    public RateLimitExceeded(RateLimitDecision decision) {
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /**
     * Returns the decision of the policy that denied the call. Its key is in the stored form, with digests of possible
     * secrets.
     */
    public RateLimitDecision decision() {
        return decision;
    }

    /** Returns the name of the policy that denied the call. */
    public String policy() {
        return decision.policy();
    }
}
