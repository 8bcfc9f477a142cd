package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.util.List;

import io.quarkiverse.ratelimit.LimitState;

/**
 * Chooses the limit that determines the result of a policy or call. This is the denying limit with the longest wait,
 * where a call that is never allowed has the longest. If no limit denies, it is the one with the fewest permits left.
 * In a tie, the first by name wins, as a policy sorts its limits by name.
 */
public final class DeterminingLimit {

    private DeterminingLimit() {
    }

    /** The limit that determines the result of a policy; {@code null} when no limit was counted. */
    static LimitState of(List<LimitState> limits) {
        LimitState best = null;
        for (int i = 0; i < limits.size(); i++) {
            LimitState limit = limits.get(i);
            if (best == null || isBefore(limit, best)) {
                best = limit;
            }
        }
        return best;
    }

    /**
     * The limit that {@code X-RateLimit} headers describe; in a tie, that of the first policy by name. {@link WorstDenial}
     * chooses the denial. {@code null} when no limit was counted.
     */
    public static LimitState ofCall(List<Decision> decisions) {
        LimitState determining = null;
        String policy = null;
        for (Decision decision : decisions) {
            LimitState own = of(decision.limits());
            if (own != null && (determining == null || isBefore(own, determining)
                    || !isBefore(determining, own) && decision.policy().compareTo(policy) < 0)) {
                determining = own;
                policy = decision.policy();
            }
        }
        return determining;
    }

    private static boolean isBefore(LimitState one, LimitState other) {
        if (one.allowed() != other.allowed()) {
            return !one.allowed();
        }
        if (one.allowed()) {
            return one.remaining() < other.remaining();
        }
        if (one.retryAfter().isZero() != other.retryAfter().isZero()) {
            return one.retryAfter().isZero();
        }
        return one.retryAfter().compareTo(other.retryAfter()) > 0;
    }
}
