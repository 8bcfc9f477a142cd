package io.quarkiverse.ratelimit.runtime.web;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.config.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.DeterminingLimit;
import io.quarkiverse.ratelimit.runtime.engine.JoinedDecisions;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Writes the caller's limits and their state: {@code RateLimit-Policy} and {@code RateLimit} of
 * draft-ietf-httpapi-ratelimit-headers, and the {@code X-RateLimit} headers in use before it.
 */
final class ResponseHeaders {

    private static final int USUAL_LENGTH = 64;
    private static final String OUTCOME = ResponseHeaders.class.getName();

    private static final CharSequence POLICY = HttpHeaders.createOptimized("RateLimit-Policy");
    private static final CharSequence STATE = HttpHeaders.createOptimized("RateLimit");
    private static final CharSequence PERMITS = HttpHeaders.createOptimized("X-RateLimit-Limit");
    private static final CharSequence REMAINING = HttpHeaders.createOptimized("X-RateLimit-Remaining");
    private static final CharSequence RESET = HttpHeaders.createOptimized("X-RateLimit-Reset");

    private final boolean standard;
    private final boolean legacy;
    private final Clock clock;
    /** The last text per policy, by its name. Not for calendar windows, whose text depends on the time. */
    private final Map<String, PolicyText> texts = new ConcurrentHashMap<>();

    /** @param clock of this application, for {@code X-RateLimit-Reset} */
    ResponseHeaders(Settings settings, Clock clock) {
        this.standard = settings.headers().contains(HeaderFamily.RATELIMIT);
        this.legacy = settings.headers().contains(HeaderFamily.X_RATELIMIT);
        this.clock = clock;
    }

    /**
     * Writes the current state for a request, perhaps after a delay. Includes the earlier decisions for the request,
     * and returns them; {@code null} for none.
     */
    Outcome write(Outcome decided, RoutingContext routing) {
        Outcome earlier = routing.get(OUTCOME);
        Outcome outcome = earlier == null ? decided : JoinedDecisions.enforced(earlier, decided);
        routing.put(OUTCOME, outcome);
        Outcome now = outcome.at(System.nanoTime());
        write(earlier == null ? now : JoinedDecisions.byPolicy(now), routing.response());
        return earlier;
    }

    private void write(Outcome outcome, HttpServerResponse response) {
        List<Decision> decisions = outcome.decisions();
        String states = states(decisions);
        if (states.isEmpty() || response.headWritten()) {
            return;
        }
        MultiMap headers = response.headers();
        if (standard) {
            headers.set(POLICY, decisions.size() == 1 ? policy(decisions.get(0)) : policies(decisions));
            headers.set(STATE, states);
        }
        if (legacy) {
            LimitState determining = DeterminingLimit.ofCall(decisions);
            headers.set(PERMITS, Long.toString(determining.permits()));
            headers.set(REMAINING, Long.toString(determining.remaining()));
            headers.set(RESET, Long.toString(epochSecondsIn(determining.resetAfter())));
        }
    }

    private String policies(List<Decision> decisions) {
        StringBuilder policies = new StringBuilder(USUAL_LENGTH);
        for (Decision decision : decisions) {
            if (!decision.limits().isEmpty()) {
                policies.append(policies.isEmpty() ? "" : ", ").append(policy(decision));
            }
        }
        return policies.toString();
    }

    private CharSequence policy(Decision decision) {
        Policy policy = decision.appliedPolicy();
        PolicyText made = texts.get(policy.name());
        if (made == null || !made.areOf(decision.limits())) {
            made = new PolicyText(decision.limits().stream().map(LimitState::definition).toList(),
                    HttpHeaders.createOptimized(QuotaPolicy.of(decision)));
            if (policy.limits().stream().allMatch(limit -> limit.limit().calendar() == null)) {
                texts.put(policy.name(), made);
            }
        }
        return made.text;
    }

    private static String states(List<Decision> decisions) {
        StringBuilder states = new StringBuilder(USUAL_LENGTH);
        for (Decision decision : decisions) {
            for (LimitState state : decision.limits()) {
                appendName(states, decision.appliedPolicy(), state.limit()).append(";r=").append(state.remaining());
                if (!state.nextPermitAfter().isZero()) {
                    states.append(";t=").append(wholeSeconds(untilMore(state)));
                }
            }
        }
        return states.toString();
    }

    /** The time until the caller can be allowed. This may be before the next permit, as the call may be delayed. */
    private static Duration untilMore(LimitState state) {
        boolean sooner = !state.retryAfter().isZero() && state.retryAfter().compareTo(state.nextPermitAfter()) < 0;
        return sooner ? state.retryAfter() : state.nextPermitAfter();
    }

    static StringBuilder appendName(StringBuilder list, Policy policy, String limit) {
        return list.append(list.isEmpty() ? "\"" : ", \"").append(memberName(policy, limit)).append('"');
    }

    /**
     * The name of a limit in headers and bodies: its policy's name, followed by its own name where the policy has
     * several limits.
     */
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

    /**
     * The value of {@code RateLimit-Policy} for these limits.
     *
     * @param text encoded in advance
     */
    private record PolicyText(List<Limit> limits, CharSequence text) {

        boolean areOf(List<LimitState> states) {
            for (int i = 0; i < states.size(); i++) {
                if (i == limits.size() || !Objects.equals(limits.get(i), states.get(i).definition())) {
                    return false;
                }
            }
            return states.size() == limits.size();
        }
    }
}
