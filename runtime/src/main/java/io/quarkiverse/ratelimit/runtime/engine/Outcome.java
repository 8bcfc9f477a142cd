package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * What was decided for one call.
 *
 * @param decisions of the enforced policies, those that were counted first; those that were left out are not among them
 * @param shadows the decisions of policies that are only tried
 * @param lease what the call holds while it runs; to be released when it ends
 */
public record Outcome(List<Decided> decisions, List<Decided> shadows, Lease lease) {

    /** Nothing guards the call. */
    public static final Outcome UNGUARDED = new Outcome(List.of());

    public Outcome {
        decisions = List.copyOf(decisions);
        shadows = List.copyOf(shadows);
    }

    public Outcome(List<Decided> decisions) {
        this(decisions, List.of(), Lease.NONE);
    }

    /**
     * One policy's part.
     *
     * @param policy as it was applied: with its limits divided where the instance counted for itself
     * @param unavailable whether it refused only because nothing could be counted
     * @param projection how its limits stand later; {@code null} where nothing was counted now
     * @param decidedAt when they stood as the decision says, by {@link System#nanoTime}
     */
    public record Decided(Policy policy, RateLimitDecision decision, boolean unavailable, Projection projection,
            long decidedAt) {

        /** Shorter delays are not worth a projection: the times in headers are whole seconds. */
        private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

        public Decided(Policy policy, RateLimitDecision decision, boolean unavailable) {
            this(policy, decision, unavailable, null, 0);
        }

        private boolean isOutdated(long nanoTime) {
            return projection != null && decision.allowed() && nanoTime - decidedAt >= SHORTEST;
        }

        private Decided at(long nanoTime) {
            if (!isOutdated(nanoTime)) {
                return this;
            }
            long nanos = nanoTime - decidedAt;
            RateLimitDecision d = decision;
            return new Decided(policy, new RateLimitDecision(d.policy(), d.limit(), d.key(), true, d.permits(), d.remaining(),
                    d.granted(), d.delay(), d.retryAfter(), d.resetAfter(), d.source(), projection.after(nanos / 1_000),
                    d.decidedAt().plusNanos(nanos), d.id()), false);
        }
    }

    /**
     * The same with the states of all limits as they are now, if nobody else has called since. What else the decisions
     * say stays as of when they were made.
     *
     * @param nanoTime now, by {@link System#nanoTime}
     */
    public Outcome at(long nanoTime) {
        for (Decided decided : decisions) {
            if (decided.isOutdated(nanoTime)) {
                return new Outcome(decisions.stream().map(each -> each.at(nanoTime)).toList(), shadows, lease);
            }
        }
        return this;
    }

    /** Whether the call is refused; to say why takes longer. */
    boolean isRefused() {
        for (int i = 0; i < decisions.size(); i++) {
            if (!decisions.get(i).decision.allowed()) {
                return true;
            }
        }
        return false;
    }

    /** Why the call is refused, or {@code null} when it is admitted. */
    public RateLimitExceededException refusal() {
        Decided worst = null;
        for (Decided decided : decisions) {
            if (!decided.decision.allowed() && (worst == null || isWorse(decided, worst))) {
                worst = decided;
            }
        }
        if (worst == null) {
            return null;
        }
        return worst.unavailable ? new RateLimitUnavailableException(worst.decision)
                : new RateLimitExceededException(worst.decision);
    }

    /** Whether it depends on the response whether what was charged counts. */
    public boolean countsByStatus() {
        for (Decided decided : decisions) {
            if (decided.policy.countWhen().areFew()) {
                return true;
            }
        }
        for (Decided decided : shadows) {
            if (decided.policy.countWhen().areFew()) {
                return true;
            }
        }
        return false;
    }

    /** How long the call is held back before it may go ahead. */
    Duration delay() {
        Duration delay = Duration.ZERO;
        for (Decided decided : decisions) {
            if (decided.decision.delay().compareTo(delay) > 0) {
                delay = decided.decision.delay();
            }
        }
        return delay;
    }

    /** What was decided for a request at first, and then this; of a policy that was decided twice only the last counts. */
    public Outcome and(Outcome later) {
        List<Decided> all = new ArrayList<>(decisions);
        all.removeIf(early -> later.decisions.stream().anyMatch(late -> late.policy.name().equals(early.policy.name())));
        all.addAll(later.decisions);
        return new Outcome(all);
    }

    /** The decisions of all policies that were counted. */
    List<Decided> all() {
        List<Decided> all = new ArrayList<>(decisions);
        all.addAll(shadows);
        return all;
    }

    /** The limit that speaks for the whole call, or {@code null} when none was counted. */
    public LimitState speaker() {
        LimitState speaker = null;
        String policy = null;
        for (Decided decided : decisions) {
            LimitState own = Speaker.of(decided.decision.limits());
            if (own != null && (speaker == null || Speaker.speaksBefore(own, speaker)
                    || !Speaker.speaksBefore(speaker, own) && decided.policy.name().compareTo(policy) < 0)) {
                speaker = own;
                policy = decided.policy.name();
            }
        }
        return speaker;
    }

    private static boolean isWorse(Decided one, Decided other) {
        if (one.unavailable != other.unavailable) {
            return other.unavailable;
        }
        if (one.decision.neverAllowed() != other.decision.neverAllowed()) {
            return one.decision.neverAllowed();
        }
        return one.decision.retryAfter().compareTo(other.decision.retryAfter()) > 0;
    }
}
