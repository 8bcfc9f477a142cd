package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/**
 * Chooses the denial that a call gets where several policies deny it: one by a limit rather than one because Redis is
 * unavailable, then one that waiting cannot change, then the one with the longest wait.
 */
final class WorstDenial {

    private WorstDenial() {
    }

    /** @param decisions of which at least one denies */
    static Decision of(List<Decision> decisions) {
        Decision worst = null;
        for (Decision decision : decisions) {
            if (!decision.allowed() && (worst == null || isWorse(decision, worst))) {
                worst = decision;
            }
        }
        return worst;
    }

    private static boolean isWorse(Decision one, Decision other) {
        if (isUnavailable(one) != isUnavailable(other)) {
            return isUnavailable(other);
        }
        if (one.neverAllowed() != other.neverAllowed()) {
            return one.neverAllowed();
        }
        return one.retryAfter().compareTo(other.retryAfter()) > 0;
    }

    private static boolean isUnavailable(Decision denial) {
        return denial.reason() == DenialReason.REDIS_UNAVAILABLE;
    }
}
