package io.quarkiverse.ratelimit.runtime.web;

import java.time.Instant;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Writes the value of {@code RateLimit-Policy} for the limits of one policy. */
final class QuotaPolicy {

    private static final long SECOND = 1_000_000;
    private static final int USUAL_LENGTH = 64;

    private QuotaPolicy() {
    }

    static String of(Decision decision) {
        StringBuilder text = new StringBuilder(USUAL_LENGTH);
        Policy policy = decision.appliedPolicy();
        List<LimitState> limits = decision.limits();
        Instant at = decision.decidedAt();
        long decidedAt = at.getEpochSecond() * SECOND + at.getNano() / 1_000;
        for (int i = 0; i < limits.size(); i++) {
            LimitState state = limits.get(i);
            ResponseHeaders.appendName(text, policy, state.limit()).append(";q=").append(state.permits());
            if (state.definition().algorithm() == Algorithm.CONCURRENCY) {
                text.append(";qu=\"concurrent-requests\"");
            }
            long window = LimitRule.of(state.definition()).fillTime(decidedAt);
            if (window > 0 && window % SECOND == 0) {
                text.append(";w=").append(window / SECOND);
            }
        }
        return text.toString();
    }
}
