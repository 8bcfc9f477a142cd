package io.quarkiverse.ratelimit.demo;

import java.time.Duration;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/**
 * A decision as the page reads it; all times are in milliseconds.
 *
 * @param caller the page's name for the caller
 * @param blocked whether a penalty has blocked the caller
 * @param next how long until {@code remaining} grows
 * @param at the time of the decision, by the clock of its source
 */
public record CallDecision(String caller, boolean allowed, boolean blocked, long capacity, long remaining, double delay,
        double retryAfter,
        double next, double reset, String source, long at) {

    /** Each policy has one limit. That of the policy that is asked first comes first, and has a chart. */
    static CallDecision of(String caller, RateLimitDecision decision) {
        LimitState state = decision.limits().get(0);
        boolean blocked = decision.denialReason().filter(DenialReason.BLOCKED::equals).isPresent();
        return new CallDecision(caller, decision.allowed(), blocked, state.permits(), state.remaining(),
                millis(decision.delay()),
                millis(decision.retryAfter()), millis(state.nextPermitAfter()), millis(decision.resetAfter()),
                decision.source().name(), decision.decidedAt().toEpochMilli());
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
