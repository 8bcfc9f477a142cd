package io.quarkiverse.ratelimit.runtime.web;

import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.config.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.JoinedDecisions;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/**
 * Writes the caller's limits and their state: {@code RateLimit-Policy} and {@code RateLimit} of
 * draft-ietf-httpapi-ratelimit-headers, and the {@code X-RateLimit} headers in use before it. It writes them when the
 * response begins, after those of the application, or of an upstream behind it.
 */
final class ResponseHeaders {

    /** A request has the {@link Head} of its last decision under this key. */
    private static final String HEAD = Head.class.getName();

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
    private final StructuredFields fields = new StructuredFields();

    /** @param clock of this application, for {@code X-RateLimit-Reset} */
    ResponseHeaders(Settings settings, Clock clock) {
        this.standard = settings.headers().contains(HeaderFamily.RATELIMIT);
        this.legacy = settings.headers().contains(HeaderFamily.X_RATELIMIT);
        this.clock = clock;
        this.exposed = HttpHeaders.createOptimized(HttpHeaders.RETRY_AFTER
                + (standard ? ", " + POLICY + ", " + STATE : "")
                + (legacy ? ", " + PERMITS + ", " + REMAINING + ", " + RESET : ""));
    }

    /**
     * Lets the response have the headers of the current state, perhaps after a delay. They include the earlier decisions for
     * the request.
     */
    void writeWhenResponseBegins(Outcome decided, RoutingContext routing, Work work) {
        Head last = routing.get(HEAD);
        Outcome outcome = last == null ? decided : JoinedDecisions.enforced(last.outcomeNow(), decided);
        Head head = new Head(outcome, last == null ? decided.decisions() : JoinedDecisions.byPolicy(outcome).decisions(),
                System.nanoTime(), clock.millis(),
                routing.response().headers().contains(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN));
        routing.put(HEAD, head);
        routing.addHeadersEndHandler(responseBegins -> {
            if (routing.get(HEAD) == head) {
                work.writeHeaders();
                write(head, routing);
            }
        });
        if (isHandshake(routing)) {
            // the response that opens a WebSocket connection has no such event
            write(head, routing);
        }
    }

    private static boolean isHandshake(RoutingContext routing) {
        return routing.request().headers().contains(HANDSHAKE);
    }

    private void write(Head head, RoutingContext routing) {
        MultiMap headers = routing.response().headers();
        if (isHandshake(routing)) {
            // in case they are written again, as the response is another one
            headers.remove(POLICY).remove(STATE);
        }
        String states = fields.states(head.decisions);
        if (standard && !states.isEmpty()) {
            headers.add(POLICY, fields.policies(head.decisions)).add(STATE, states);
        }
        if (legacy && !states.isEmpty()) {
            LimitState determining = determining(head.decisions);
            removeLegacy(headers);
            headers.add(PERMITS, Long.toString(determining.permits()))
                    .add(REMAINING, Long.toString(determining.remaining()))
                    .add(RESET, Long.toString(head.epochSecondsIn(determining.resetAfter())));
        }
        if (head.crossOrigin) {
            headers.add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }

    /** In a tie, the limit of the first policy by name. */
    private static LimitState determining(List<Decision> decisions) {
        return LimitUsage.determining(decisions.size() == 1 ? decisions.get(0).limits()
                : decisions.stream().sorted(Comparator.comparing(Decision::policy))
                        .flatMap(decision -> decision.limits().stream()).toList());
    }

    private static void removeLegacy(MultiMap headers) {
        for (String name : List.copyOf(headers.names())) {
            if (name.regionMatches(true, 0, LEGACY, 0, LEGACY.length())) {
                headers.remove(name);
            }
        }
    }

    /**
     * What the headers of one response show: the state when the request was decided.
     *
     * @param decisions of the outcome, one for each policy
     * @param nanoTime of the decision, by {@link System#nanoTime}
     * @param millis of the decision, by the clock of this application
     * @param crossOrigin whether a script of another site may read the response
     */
    private record Head(Outcome outcome, List<Decision> decisions, long nanoTime, long millis, boolean crossOrigin) {

        Outcome outcomeNow() {
            return outcome.after(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - nanoTime));
        }

        long epochSecondsIn(Duration duration) {
            return Math.floorDiv(millis + duration.plusNanos(999_999).toMillis() + 999, 1000L);
        }
    }
}
