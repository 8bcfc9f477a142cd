package io.quarkiverse.ratelimit;

import java.util.List;
import java.util.Objects;

/**
 * Fired when an allowed call leaves a limit used to {@code warn-at} or more, at most once per minute for each key of a policy
 * on an instance. Only asynchronous observers get this CDI event. They run on worker threads:
 *
 * <pre>
 * void onApproached(&#64;ObservesAsync RateLimitApproached approached) {
 *     LimitState limit = approached.limits().get(0);
 *     LOG.infof("%s has %d of %d left", approached.decision().key(), limit.remaining(), limit.permits());
 * }
 * </pre>
 *
 * Policies in shadow mode and decisions without a count fire no event. When more than 10 000 keys of a policy approach a limit
 * in one minute, or 1000 events wait for their observers, further events are dropped. Failures of observers are logged at most
 * once per minute.
 */
public final class RateLimitApproached {

    private final RateLimitDecision decision;
    private final List<LimitState> limits;

    /**
     * @param decision of the policy that allowed the call
     * @param limits those limits of the decision of which at least {@code warn-at} is used
     */
    public RateLimitApproached(RateLimitDecision decision, List<LimitState> limits) {
        this.decision = Objects.requireNonNull(decision, "decision");
        this.limits = List.copyOf(limits);
    }

    /**
     * Returns the decision of the policy that allowed the call. Its key is in the stored form, with digests of possible
     * secrets.
     */
    public RateLimitDecision decision() {
        return decision;
    }

    /** Returns the name of the policy. */
    public String policy() {
        return decision.policy();
    }

    /** Returns the limits of which at least {@code warn-at} is used: one or more, sorted by name. */
    public List<LimitState> limits() {
        return limits;
    }
}
