package io.quarkiverse.ratelimit.demo;

import java.time.Duration;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;

/**
 * What was decided, as the page reads it; all times in milliseconds.
 *
 * @param caller as the page names it
 * @param next how long until {@code remaining} grows
 * @param at when, by the clock of what counted
 */
public record Answer(String caller, boolean allowed, long capacity, long remaining, double delay, double retryAfter,
        double next, double reset, String source, long at) {

    /** A policy of one limit has one state. */
    static Answer of(String caller, RateLimitDecision decision) {
        LimitState state = decision.limits().get(0);
        return new Answer(caller, decision.allowed(), decision.permits(), decision.remaining(), millis(decision.delay()),
                millis(decision.retryAfter()), millis(state.nextPermitAfter()), millis(decision.resetAfter()),
                decision.source().name(), decision.decidedAt().toEpochMilli());
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / 1e6;
    }
}
