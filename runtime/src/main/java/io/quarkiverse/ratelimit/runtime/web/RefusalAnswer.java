package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.vertx.core.json.Json;

/**
 * Says to a refused caller why, as problem details (RFC 9457).
 *
 * @param retryAfter whole seconds, {@code null} where waiting does not help
 * @param detail the reason in one line, as it stands in the body
 */
record RefusalAnswer(int status, String retryAfter, String detail, String body) {

    static final String CONTENT_TYPE = "application/problem+json";
    /** The value of {@code Cache-Control}. */
    static final String CACHING = "no-store";

    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";
    private static final int USUAL_LENGTH = 256;

    /** @param outcome everything that was decided for the call; empty where only the exception is known */
    static RefusalAnswer of(RateLimitExceededException refusal, Outcome outcome) {
        boolean unavailable = refusal instanceof RateLimitUnavailableException;
        int status = unavailable ? 503 : 429;
        String detail = detail(refusal);
        StringBuilder body = new StringBuilder(USUAL_LENGTH)
                .append("{\"type\":\"").append(TYPES)
                .append(unavailable ? "temporary-reduced-capacity\",\"title\":\"Service Unavailable"
                        : "quota-exceeded\",\"title\":\"Too Many Requests")
                .append("\",\"status\":").append(status)
                .append(",\"detail\":");
        appendText(body, detail);
        body.append(",\"violated-policies\":[");
        appendViolated(body, refusal, outcome);
        return new RefusalAnswer(status,
                refusal.decision().neverAllowed() ? null : Long.toString(refusal.decision().retryAfterSeconds()),
                detail, body.append("]}").toString());
    }

    private static String detail(RateLimitExceededException refusal) {
        RateLimitDecision decision = refusal.decision();
        if (refusal instanceof RateLimitUnavailableException) {
            return "Policy " + decision.policy() + " cannot be decided at the moment.";
        }
        if (!decision.neverAllowed()) {
            return "Policy " + decision.policy() + " is used up. Retry after " + decision.retryAfterSeconds() + " s.";
        }
        return decision.limits().isEmpty()
                ? "Policy " + decision.policy() + " cannot tell who is calling."
                : "The request costs more than policy " + decision.policy() + " can ever admit.";
    }

    private static void appendViolated(StringBuilder body, RateLimitExceededException refusal, Outcome outcome) {
        if (outcome.decisions().isEmpty()) {
            appendName(body, refusal.decision().policy());
        }
        for (Decided decided : outcome.decisions()) {
            if (decided.decision().allowed()) {
                continue;
            }
            if (decided.decision().limits().isEmpty()) {
                appendName(body, decided.policy().name());
            }
            for (LimitState limit : decided.decision().limits()) {
                if (!limit.allowed()) {
                    appendName(body, AnswerHeaders.memberName(decided.policy(), limit.limit()));
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

    /** No name of a policy needs to be escaped, but a decision that the application made up may have any text. */
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
