package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

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

    /** @param outcome everything that was decided for the call; empty where only the exception is known */
    static RefusalAnswer of(RateLimitExceededException refusal, Outcome outcome) {
        boolean unavailable = refusal instanceof RateLimitUnavailableException;
        int status = unavailable ? 503 : 429;
        String detail = detail(refusal);
        JsonObject problem = new JsonObject()
                .put("type", TYPES + (unavailable ? "temporary-reduced-capacity" : "quota-exceeded"))
                .put("title", unavailable ? "Service Unavailable" : "Too Many Requests")
                .put("status", status)
                .put("detail", detail)
                .put("violated-policies", violated(refusal, outcome));
        return new RefusalAnswer(status,
                refusal.decision().neverAllowed() ? null : Long.toString(retryAfterSeconds(refusal.decision())),
                detail, problem.encode());
    }

    private static String detail(RateLimitExceededException refusal) {
        RateLimitDecision decision = refusal.decision();
        if (refusal instanceof RateLimitUnavailableException) {
            return "Policy " + decision.policy() + " cannot be decided at the moment.";
        }
        if (!decision.neverAllowed()) {
            return "Policy " + decision.policy() + " is used up. Retry after " + retryAfterSeconds(decision) + " s.";
        }
        return decision.limits().isEmpty()
                ? "Policy " + decision.policy() + " cannot tell who is calling."
                : "The request costs more than policy " + decision.policy() + " can ever admit.";
    }

    private static long retryAfterSeconds(RateLimitDecision decision) {
        return Math.max(1, AnswerHeaders.wholeSeconds(decision.retryAfter()));
    }

    private static JsonArray violated(RateLimitExceededException refusal, Outcome outcome) {
        JsonArray names = new JsonArray();
        if (outcome.decisions().isEmpty()) {
            names.add(refusal.decision().policy());
        }
        for (Decided decided : outcome.decisions()) {
            if (decided.decision().allowed()) {
                continue;
            }
            if (decided.decision().limits().isEmpty()) {
                names.add(decided.policy().name());
            }
            for (LimitState limit : decided.decision().limits()) {
                if (!limit.allowed()) {
                    names.add(AnswerHeaders.memberName(decided.policy(), limit.limit()));
                }
            }
        }
        return names;
    }
}
