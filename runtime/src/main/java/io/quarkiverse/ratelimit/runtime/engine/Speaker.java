package io.quarkiverse.ratelimit.runtime.engine;

import java.util.List;

import io.quarkiverse.ratelimit.LimitState;

/**
 * Chooses the limit that speaks for all: of those that refuse the one with the longest wait, for ever being the
 * longest; else the one with the fewest permits left; then the first by name, in which order a policy has its limits.
 */
final class Speaker {

    private Speaker() {
    }

    /** The one that speaks for a policy, {@code null} when none was counted. */
    static LimitState of(List<LimitState> limits) {
        LimitState best = null;
        for (int i = 0; i < limits.size(); i++) {
            LimitState limit = limits.get(i);
            if (best == null || speaksBefore(limit, best)) {
                best = limit;
            }
        }
        return best;
    }

    static boolean speaksBefore(LimitState one, LimitState other) {
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
