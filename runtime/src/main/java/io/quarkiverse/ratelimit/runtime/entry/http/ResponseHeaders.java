package io.quarkiverse.ratelimit.runtime.entry.http;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/**
 * Writes the caller's limits and their state: {@code RateLimit-Policy} and {@code RateLimit} of
 * draft-ietf-httpapi-ratelimit-headers, and the {@code X-RateLimit} headers in use before it.
 */
final class ResponseHeaders {

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int USUAL_LENGTH = 64;

    private static final CharSequence POLICY = HttpHeaders.createOptimized("RateLimit-Policy");
    private static final CharSequence STATE = HttpHeaders.createOptimized("RateLimit");
    private static final String LEGACY = "X-RateLimit-";
    private static final CharSequence PERMITS = HttpHeaders.createOptimized(LEGACY + "Limit");
    private static final CharSequence REMAINING = HttpHeaders.createOptimized(LEGACY + "Remaining");
    private static final CharSequence RESET = HttpHeaders.createOptimized(LEGACY + "Reset");
    private static final CharSequence HANDSHAKE = HttpHeaders.createOptimized("Sec-WebSocket-Key");

    private final boolean standard;
    private final boolean legacy;
    private final Clock clock;
    private final CharSequence exposed;
    /** The last {@code RateLimit-Policy} per policy, by its name. Not for calendar windows, whose text depends on the time. */
    private final Map<String, PolicyText> policyTexts = new ConcurrentHashMap<>();

    /** @param clock of this application, for {@code X-RateLimit-Reset} */
    ResponseHeaders(Settings settings, Clock clock) {
        this.standard = settings.headers().contains(HeaderFamily.RATELIMIT);
        this.legacy = settings.headers().contains(HeaderFamily.X_RATELIMIT);
        this.clock = clock;
        List<CharSequence> names = new ArrayList<>(List.of(HttpHeaders.RETRY_AFTER));
        names.addAll(standard ? List.of(POLICY, STATE) : List.of());
        names.addAll(legacy ? List.of(PERMITS, REMAINING, RESET) : List.of());
        this.exposed = HttpHeaders.createOptimized(String.join(", ", names));
    }

    /**
     * Returns what the headers show of this outcome and of the earlier decisions for the request: the state as of this call,
     * when the request is decided.
     *
     * @param last of the earlier decisions; {@code null} for none
     */
    HeaderContent content(HeaderContent last, Outcome decided, RoutingContext routing) {
        Outcome outcome = last == null ? decided : last.outcomeNow().followedBy(decided);
        boolean handshake = routing.request().headers().contains(HANDSHAKE);
        HeaderContent content = new HeaderContent(outcome, System.nanoTime(), clock.millis(), handshake);
        if (handshake) {
            // the response that opens a WebSocket connection has no event when it begins
            if (last != null) {
                withdraw(last, routing.response().headers());
            }
            write(content, routing.response().headers());
        }
        return content;
    }

    /** Removes what was written early, but not what the application has added. */
    private void withdraw(HeaderContent written, MultiMap headers) {
        remove(POLICY, policies(written.outcome.decisions()), headers);
        remove(STATE, states(written.outcome.decisions()), headers);
        remove(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, exposed, headers);
    }

    private static void remove(CharSequence name, CharSequence value, MultiMap headers) {
        List<CharSequence> values = new ArrayList<>(headers.getAll(name));
        values.remove(value.toString());
        headers.set(name, values);
    }

    void write(HeaderContent content, MultiMap headers) {
        if (content.handshake) {
            withdraw(content, headers);
        }
        String states = states(content.outcome.decisions());
        if (standard && !states.isEmpty()) {
            headers.add(POLICY, policies(content.outcome.decisions())).add(STATE, states);
        }
        if (legacy && !states.isEmpty()) {
            LimitState determining = determining(content.outcome.decisions());
            removeLegacy(headers);
            if (determining != null) {
                headers.add(PERMITS, Long.toString(determining.permits()))
                        .add(REMAINING, Long.toString(determining.remaining()))
                        .add(RESET, Long.toString(content.epochSecondsIn(determining.resetAfter())));
            }
        }
        if (headers.contains(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN)) {
            headers.add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }

    /** In a tie, the limit of the first policy by name. {@code null} if none of the policies that allow the call has limits. */
    private static LimitState determining(List<Decision> decisions) {
        return LimitUsage.determining(decisions.size() == 1 && decisions.get(0).chain() == null ? decisions.get(0).ownLimits()
                : decisions.stream().filter(decision -> decision.appliedPolicy().mode() == Mode.ENFORCE)
                        .sorted(Comparator.comparing(Decision::policy))
                        .flatMap(decision -> decision.ownLimits().stream()).toList());
    }

    /** Usually there are none, so nothing is copied. It begins again after a removal, which ends an iteration. */
    private static void removeLegacy(MultiMap headers) {
        for (Map.Entry<String, String> header : headers) {
            if (header.getKey().regionMatches(true, 0, LEGACY, 0, LEGACY.length())) {
                headers.remove(header.getKey());
                removeLegacy(headers);
                return;
            }
        }
    }

    /**
     * What the headers of one response show: the state when the request was decided.
     *
     * @param millis of the decision, by the clock of this application
     * @param handshake whether they are written early, and again when a response begins
     */
    record HeaderContent(Outcome outcome, long nanoTime, long millis, boolean handshake) {

        private Outcome outcomeNow() {
            return outcome.after(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - nanoTime));
        }

        private long epochSecondsIn(Duration duration) {
            return Math.floorDiv(millis + duration.plusNanos(999_999).toMillis() + 999, 1000L);
        }
    }

    private CharSequence policies(List<Decision> decisions) {
        return decisions.size() == 1 && decisions.get(0).chain() == null ? policyText(decisions.get(0))
                : decisions.stream().flatMap(decision -> decision.shown().stream())
                        .filter(decision -> !decision.ownLimits().isEmpty()).map(this::policyText)
                        .collect(Collectors.joining(", "));
    }

    private CharSequence policyText(Decision decision) {
        PolicyText text = policyTexts.get(decision.policy());
        if (text == null || !text.isOf(decision.ownLimits())) {
            List<Limit> limits = new ArrayList<>(1);
            boolean lasts = true;
            for (LimitState state : decision.ownLimits()) {
                limits.add(state.definition());
                lasts &= state.definition().calendar() == null;
            }
            text = new PolicyText(limits, HttpHeaders.createOptimized(compose(decision)));
            if (lasts) {
                policyTexts.put(decision.policy(), text);
            }
        }
        return text.encoded;
    }

    private static String compose(Decision decision) {
        StringBuilder text = new StringBuilder(USUAL_LENGTH);
        long decidedAt = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        for (LimitState state : decision.ownLimits()) {
            appendName(text, decision.appliedPolicy(), state.limit()).append(";q=").append(state.permits());
            LimitRule rule = PolicyLimit.ruleOf(state.definition());
            if (rule.holdsPermits()) {
                text.append(";qu=\"concurrent-requests\"");
            }
            long window = rule.fillTime(decidedAt);
            if (window > 0 && window % MICROS_PER_SECOND == 0) {
                text.append(";w=").append(window / MICROS_PER_SECOND);
            }
        }
        return text.toString();
    }

    private static String states(List<Decision> decisions) {
        StringBuilder states = new StringBuilder(USUAL_LENGTH);
        for (Decision decision : decisions) {
            if (decision.chain() != null) {
                String ofChain = states(decision.shown());
                states.append(states.isEmpty() || ofChain.isEmpty() ? "" : ", ").append(ofChain);
                continue;
            }
            for (LimitState state : decision.ownLimits()) {
                appendName(states, decision.appliedPolicy(), state.limit()).append(";r=").append(state.remaining());
                if (!state.nextPermitAfter().isZero()) {
                    states.append(";t=").append(secondsUntilAllowed(state));
                }
            }
        }
        return states.toString();
    }

    /**
     * Returns the seconds until the caller can be allowed, rounded up. This may be before the next permit, as the call may be
     * delayed.
     */
    private static long secondsUntilAllowed(LimitState state) {
        boolean sooner = !state.retryAfter().isZero() && state.retryAfter().compareTo(state.nextPermitAfter()) < 0;
        return (sooner ? state.retryAfter() : state.nextPermitAfter()).plusNanos(999_999_999).getSeconds();
    }

    private static StringBuilder appendName(StringBuilder list, Policy policy, String limit) {
        return list.append(list.isEmpty() ? "\"" : ", \"").append(memberName(policy, limit)).append('"');
    }

    /**
     * Returns the name of a limit in headers and bodies: its policy's name, and its own where the policy has several limits.
     */
    static String memberName(Policy policy, String limit) {
        return policy.namesLimits() ? policy.name() + "." + limit : policy.name();
    }

    /** @param encoded in advance */
    private record PolicyText(List<Limit> limits, CharSequence encoded) {

        boolean isOf(List<LimitState> states) {
            boolean same = limits.size() == states.size();
            for (int i = 0; same && i < limits.size(); i++) {
                same = Objects.equals(limits.get(i), states.get(i).definition());
            }
            return same;
        }
    }
}
