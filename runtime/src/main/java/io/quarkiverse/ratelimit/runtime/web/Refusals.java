package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;

/**
 * Turns refusals that reach a resource, the filter's and those of bean calls, into responses. It is created by the first
 * of them: RESTEasy Classic makes the mappers before the configuration can be read.
 */
@ApplicationScoped
public class Refusals {

    private final Settings settings;
    private final AnswerHeaders headers;
    private final CurrentVertxRequest current;

    Refusals(Settings settings, AnswerHeaders headers, CurrentVertxRequest current) {
        this.settings = settings;
        this.headers = headers;
        this.current = current;
    }

    Response response(RateLimitExceededException refusal) {
        RefusalAnswer answer = RefusalAnswer.of(refusal, outcomeOf(refusal));
        Response.ResponseBuilder response = Response.status(answer.status())
                .type(RefusalAnswer.CONTENT_TYPE)
                .header(HttpHeaders.CACHE_CONTROL, RefusalAnswer.CACHING)
                .entity(answer.body());
        if (answer.retryAfter() != null) {
            response.header(HttpHeaders.RETRY_AFTER, answer.retryAfter());
        }
        return response.build();
    }

    /**
     * The filter's outcome; for a refused bean call one of its own, whose headers are still to be written; an empty one
     * for a refusal by anything else.
     */
    private Outcome outcomeOf(RateLimitExceededException refusal) {
        RoutingContext routing = current.getCurrent();
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
            headers.write(outcome, routing);
        }
        return outcome;
    }

    /** The limits may have been overridden, or divided among instances. */
    private static Policy asApplied(Policy policy, RateLimitDecision decision) {
        return decision.limits().isEmpty() ? policy
                : policy.withLimits(
                        decision.limits().stream().map(state -> new PolicyLimit(state.limit(), state.numbers())).toList());
    }
}
