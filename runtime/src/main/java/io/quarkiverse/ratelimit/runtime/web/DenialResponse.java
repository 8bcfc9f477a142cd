package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.vertx.core.json.Json;

/**
 * Describes a denial to the caller as problem details (RFC 9457).
 *
 * @param retryAfter whole seconds; {@code null} where waiting does not help
 * @param detail the reason in one line, the same as in the body
 */
public record DenialResponse(int status, String retryAfter, String detail, String body) {

    public static final String CONTENT_TYPE = "application/problem+json";
    /** The value of {@code Cache-Control}. */
    static final String CACHING = "no-store";

    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";
    private static final int USUAL_LENGTH = 256;

    /** @param outcome all decisions for the call; empty where only the exception is available */
    static DenialResponse of(RateLimitException denial, Outcome outcome) {
        boolean unavailable = denial instanceof RateLimitUnavailableException;
        int status = unavailable ? 503 : 429;
        String detail = detail(denial);
        StringBuilder body = new StringBuilder(USUAL_LENGTH)
                .append("{\"type\":\"").append(TYPES)
                .append(unavailable ? "temporary-reduced-capacity\",\"title\":\"Service Unavailable"
                        : "quota-exceeded\",\"title\":\"Too Many Requests")
                .append("\",\"status\":").append(status)
                .append(",\"detail\":");
        appendText(body, detail);
        body.append(",\"violated-policies\":[");
        appendViolated(body, denial, outcome);
        return new DenialResponse(status,
                denial.decision().neverAllowed() ? null : Long.toString(denial.decision().retryAfterSeconds()),
                detail, body.append("]}").toString());
    }

    private static String detail(RateLimitException denial) {
        RateLimitDecision decision = denial.decision();
        if (denial instanceof RateLimitUnavailableException) {
            return "Policy " + decision.policy() + " cannot be decided at the moment.";
        }
        if (!decision.neverAllowed()) {
            return "Policy " + decision.policy() + " is used up. Retry after " + decision.retryAfterSeconds() + " s.";
        }
        return decision.limits().isEmpty()
                ? "Policy " + decision.policy() + " cannot tell who is calling."
                : "The request costs more than policy " + decision.policy() + " can ever allow.";
    }

    private static void appendViolated(StringBuilder body, RateLimitException denial, Outcome outcome) {
        if (outcome.decisions().isEmpty()) {
            appendName(body, denial.decision().policy());
        }
        for (Decision decision : outcome.decisions()) {
            if (decision.allowed()) {
                continue;
            }
            if (decision.limits().isEmpty()) {
                appendName(body, decision.policy());
            }
            for (LimitState limit : decision.limits()) {
                if (!limit.allowed()) {
                    appendName(body, ResponseHeaders.memberName(decision.applied(), limit.limit()));
                }
            }
        }
    }

    private static void appendName(StringBuilder names, String name) {
        if (names.charAt(names.length() - 1) != '[') {
            names.append(',');
        }
        appendText(names, name);
    }

    /**
     * Escapes a text if needed. A policy's name needs no escapes, but a decision by the application may contain any
     * text.
     */
    private static void appendText(StringBuilder json, String text) {
        if (isPlain(text)) {
            json.append('"').append(text).append('"');
        } else {
            json.append(Json.encode(text));
        }
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return false;
            }
        }
        return true;
    }
}
