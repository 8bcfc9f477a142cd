package io.quarkiverse.ratelimit.runtime.web;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Tells the caller where it stands: {@code RateLimit-Policy} and {@code RateLimit} of
 * draft-ietf-httpapi-ratelimit-headers, and the {@code X-RateLimit} headers in use before it.
 */
final class AnswerHeaders {

    private static final long SECOND = 1_000_000;
    private static final int USUAL_LENGTH = 64;
    private static final String OUTCOME = AnswerHeaders.class.getName();

    private static final CharSequence POLICY = HttpHeaders.createOptimized("RateLimit-Policy");
    private static final CharSequence STATE = HttpHeaders.createOptimized("RateLimit");
    private static final CharSequence PERMITS = HttpHeaders.createOptimized("X-RateLimit-Limit");
    private static final CharSequence REMAINING = HttpHeaders.createOptimized("X-RateLimit-Remaining");
    private static final CharSequence RESET = HttpHeaders.createOptimized("X-RateLimit-Reset");

    private final boolean standard;
    private final boolean legacy;
    private final Clock clock;

    /** @param clock of this application, in which {@code X-RateLimit-Reset} is told */
    AnswerHeaders(Settings settings, Clock clock) {
        this.standard = settings.headers().contains(HeaderFamily.RATELIMIT);
        this.legacy = settings.headers().contains(HeaderFamily.X_RATELIMIT);
        this.clock = clock;
    }

    /** What was decided for a request so far, {@code null} for nothing. */
    static Outcome written(RoutingContext routing) {
        return routing.get(OUTCOME);
    }

    /** Writes where a request stands, with what was decided for it before. */
    void write(Outcome decided, RoutingContext routing) {
        Outcome earlier = written(routing);
        Outcome outcome = earlier == null ? decided : earlier.and(decided);
        routing.put(OUTCOME, outcome);
        write(outcome, routing.response());
    }

    private void write(Outcome outcome, HttpServerResponse response) {
        LimitState speaker = outcome.speaker();
        if (speaker == null || response.headWritten()) {
            return;
        }
        if (standard) {
            StringBuilder policies = new StringBuilder(USUAL_LENGTH);
            StringBuilder states = new StringBuilder(USUAL_LENGTH);
            for (Decided decided : outcome.decisions()) {
                append(decided, policies, states);
            }
            response.putHeader(POLICY, policies.toString());
            response.putHeader(STATE, states.toString());
        }
        if (legacy) {
            response.putHeader(PERMITS, Long.toString(speaker.permits()));
            response.putHeader(REMAINING, Long.toString(speaker.remaining()));
            response.putHeader(RESET, Long.toString(epochSecondsIn(speaker.resetAfter())));
        }
    }

    private static void append(Decided decided, StringBuilder policies, StringBuilder states) {
        Policy policy = decided.policy();
        List<LimitState> limits = decided.decision().limits();
        Instant at = decided.decision().decidedAt();
        long decidedAt = at.getEpochSecond() * SECOND + at.getNano() / 1_000;
        for (int i = 0; i < limits.size(); i++) {
            LimitState state = limits.get(i);
            appendName(policies, policy, state.limit()).append(";q=").append(state.permits());
            if (state.numbers().algorithm() == Algorithm.CONCURRENCY) {
                policies.append(";qu=\"concurrent-requests\"");
            }
            long window = policy.limits().get(i).rule().fillTime(decidedAt);
            if (window > 0 && window % SECOND == 0) {
                policies.append(";w=").append(window / SECOND);
            }
            appendName(states, policy, state.limit()).append(";r=").append(state.remaining());
            if (!state.nextPermitAfter().isZero()) {
                states.append(";t=").append(wholeSeconds(untilMore(state)));
            }
        }
    }

    /** Who may be held back is admitted before there are permits, and is not told to wait for longer than that. */
    private static Duration untilMore(LimitState state) {
        boolean sooner = !state.retryAfter().isZero() && state.retryAfter().compareTo(state.nextPermitAfter()) < 0;
        return sooner ? state.retryAfter() : state.nextPermitAfter();
    }

    private static StringBuilder appendName(StringBuilder list, Policy policy, String limit) {
        return list.append(list.isEmpty() ? "\"" : ", \"").append(memberName(policy, limit)).append('"');
    }

    /** What a limit is called in headers and bodies: its policy's name, and its own where there are several. */
    static String memberName(Policy policy, String limit) {
        List<PolicyLimit> limits = policy.limits();
        return limits.size() == 1 ? policy.name() : policy.name() + "." + limit;
    }

    /** Rounded up. */
    static long wholeSeconds(Duration duration) {
        return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
    }

    private long epochSecondsIn(Duration duration) {
        return Math.floorDiv(clock.millis() + duration.plusNanos(999_999).toMillis() + 999, 1000L);
    }
}
