package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Holds the decisions for one call.
 *
 * @param decisions of the enforced policies, the counted ones first; without the policies that were left out
 * @param shadows the decisions of policies in shadow mode
 * @param lease the permits that the call holds while it runs; must be released when the call ends
 */
public record Outcome(List<PolicyDecision> decisions, List<PolicyDecision> shadows, Lease lease) {

    /** Nothing limits the call. */
    public static final Outcome NOT_LIMITED = new Outcome(List.of());

    public Outcome {
        decisions = List.copyOf(decisions);
        shadows = List.copyOf(shadows);
    }

    public Outcome(List<PolicyDecision> decisions) {
        this(decisions, List.of(), Lease.NONE);
    }

    /**
     * Holds the decision of one policy.
     *
     * @param policy the policy as applied; its limits are divided where the instance counted for itself
     * @param projection computes the later states of its limits; {@code null} where nothing was counted now
     * @param decidedAt the time of the states in the decision, by {@link System#nanoTime}
     */
    public record PolicyDecision(Policy policy, Decision decision, Projection projection, long decidedAt) {

        /** Shorter delays are not worth a projection: the times in headers are whole seconds. */
        private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

        public PolicyDecision(Policy policy, Decision decision) {
            this(policy, decision, null, 0);
        }

        /** Whether the call was denied only because Redis is unavailable. */
        private boolean unavailable() {
            return decision.reason() == DenialReason.REDIS_UNAVAILABLE;
        }

        private boolean isOutdated(long nanoTime) {
            return projection != null && decision.allowed() && nanoTime - decidedAt >= SHORTEST;
        }

        private PolicyDecision at(long nanoTime) {
            if (!isOutdated(nanoTime)) {
                return this;
            }
            long nanos = nanoTime - decidedAt;
            return new PolicyDecision(policy, decision.later(nanos, projection.after(nanos / 1_000)));
        }
    }

    /**
     * The same outcome with the states of all limits as they are now, if no other call was counted since. Everything
     * else in the decisions stays the same.
     *
     * @param nanoTime now, by {@link System#nanoTime}
     */
    public Outcome at(long nanoTime) {
        for (PolicyDecision decided : decisions) {
            if (decided.isOutdated(nanoTime)) {
                return new Outcome(decisions.stream().map(each -> each.at(nanoTime)).toList(), shadows, lease);
            }
        }
        return this;
    }

    /** Whether the call is denied; faster than {@link #denial()}. */
    boolean isDenied() {
        for (int i = 0; i < decisions.size(); i++) {
            if (!decisions.get(i).decision.allowed()) {
                return true;
            }
        }
        return false;
    }

    /** The exception for a denied call; {@code null} when the call is allowed. */
    public RateLimitException denial() {
        PolicyDecision worst = null;
        for (PolicyDecision decided : decisions) {
            if (!decided.decision.allowed() && (worst == null || isWorse(decided, worst))) {
                worst = decided;
            }
        }
        if (worst == null) {
            return null;
        }
        return denial(worst.decision);
    }

    /** Creates the exception for a denial. */
    public static RateLimitException denial(RateLimitDecision decision) {
        return decision.denialReason().filter(DenialReason.REDIS_UNAVAILABLE::equals).isPresent()
                ? new RateLimitUnavailableException(decision)
                : new RateLimitExceededException(decision);
    }

    /** Whether the charge counts only for some statuses of the response. */
    public boolean countsByStatus() {
        for (PolicyDecision decided : decisions) {
            if (decided.policy.countWhen().areFew()) {
                return true;
            }
        }
        for (PolicyDecision decided : shadows) {
            if (decided.policy.countWhen().areFew()) {
                return true;
            }
        }
        return false;
    }

    /** How long the call is delayed before it may go ahead. */
    Duration delay() {
        Duration delay = Duration.ZERO;
        for (PolicyDecision decided : decisions) {
            if (decided.decision.delay().compareTo(delay) > 0) {
                delay = decided.decision.delay();
            }
        }
        return delay;
    }

    /** Adds the later decisions for a request. Where a policy has decided twice, only the last decision stays. */
    public Outcome and(Outcome later) {
        List<PolicyDecision> all = new ArrayList<>(decisions);
        all.removeIf(early -> later.decisions.stream().anyMatch(late -> late.policy.name().equals(early.policy.name())));
        all.addAll(later.decisions);
        return new Outcome(all);
    }

    /** The decisions of all enforced and shadow policies. */
    List<PolicyDecision> all() {
        List<PolicyDecision> all = new ArrayList<>(decisions);
        all.addAll(shadows);
        return all;
    }

    /** The limit that determines the result of the whole call; {@code null} when no limit was counted. */
    public LimitState speaker() {
        LimitState speaker = null;
        String policy = null;
        for (PolicyDecision decided : decisions) {
            LimitState own = DeterminingLimit.of(decided.decision.limits());
            if (own != null && (speaker == null || DeterminingLimit.speaksBefore(own, speaker)
                    || !DeterminingLimit.speaksBefore(speaker, own) && decided.policy.name().compareTo(policy) < 0)) {
                speaker = own;
                policy = decided.policy.name();
            }
        }
        return speaker;
    }

    private static boolean isWorse(PolicyDecision one, PolicyDecision other) {
        if (one.unavailable() != other.unavailable()) {
            return other.unavailable();
        }
        if (one.decision.neverAllowed() != other.decision.neverAllowed()) {
            return one.decision.neverAllowed();
        }
        return one.decision.retryAfter().compareTo(other.decision.retryAfter()) > 0;
    }
}
