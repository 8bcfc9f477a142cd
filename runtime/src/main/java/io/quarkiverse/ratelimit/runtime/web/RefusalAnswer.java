package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** Writes refusals as problem details (RFC 9457). */
final class RefusalAnswer {

    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

    private final Settings settings;
    private final AnswerHeaders headers;

    RefusalAnswer(Settings settings, AnswerHeaders headers) {
        this.settings = settings;
        this.headers = headers;
    }

    Response to(RateLimitExceededException refusal, int status, String type, String title) {
        Outcome outcome = outcomeOf(refusal);
        JsonObject problem = new JsonObject()
                .put("type", TYPES + type)
                .put("title", title)
                .put("status", status)
                .put("detail", detail(refusal))
                .put("violated-policies", violated(refusal, outcome));
        Response.ResponseBuilder response = Response.status(status)
                .type("application/problem+json")
                .header("Cache-Control", "no-store")
                .entity(problem.encode());
        if (!refusal.decision().neverAllowed()) {
            response.header("Retry-After", retryAfterSeconds(refusal.decision()));
        }
        return response.build();
    }

    /**
     * The filter's outcome; for a refused bean call one of its own, whose headers are still to be written; an empty one
     * for a refusal by anything else.
     */
    private Outcome outcomeOf(RateLimitExceededException refusal) {
        RoutingContext routing = CurrentRequestManager.get().unwrap(RoutingContext.class);
        Outcome outcome = Refused.outcomeOf(routing, refusal);
        if (outcome == null) {
            RateLimitDecision decision = refusal.decision();
            Policy policy = settings.policies().get(decision.policy());
            if (policy == null) {
                return Outcome.UNGUARDED;
            }
            outcome = new Outcome(
                    List.of(new Decided(asApplied(policy, decision), decision,
                            refusal instanceof RateLimitUnavailableException)));
            headers.write(outcome, routing.response());
        }
        return outcome;
    }

    /** The limits may have been overridden, or divided among instances. */
    private static Policy asApplied(Policy policy, RateLimitDecision decision) {
        return decision.limits().isEmpty() ? policy
                : policy.withLimits(
                        decision.limits().stream().map(state -> new PolicyLimit(state.limit(), state.numbers())).toList());
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
