package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;

/**
 * Turns denials that reach a resource, of requests and of bean calls, into responses. The first denial creates it, as
 * RESTEasy Classic creates the mappers before the configuration can be read.
 */
@ApplicationScoped
public class ExceptionResponses {

    private final Settings settings;
    private final ResponseHeaders headers;
    private final CurrentVertxRequest current;

    ExceptionResponses(Settings settings, ResponseHeaders headers, CurrentVertxRequest current) {
        this.settings = settings;
        this.headers = headers;
        this.current = current;
    }

    public Response response(RateLimitException denial) {
        DenialResponse answer = DenialResponse.of(denial, outcomeOf(denial));
        Response.ResponseBuilder response = Response.status(answer.status())
                .type(DenialResponse.CONTENT_TYPE)
                .header(HttpHeaders.CACHE_CONTROL, DenialResponse.CACHING)
                .entity(answer.body());
        if (answer.retryAfter() != null) {
            response.header(HttpHeaders.RETRY_AFTER, answer.retryAfter());
        }
        return response.build();
    }

    /**
     * Returns the outcome of a denied request. For a denied bean call, creates an outcome and writes its headers. For a
     * denial by anything else, returns an empty outcome.
     */
    private Outcome outcomeOf(RateLimitException denial) {
        RoutingContext routing = current.getCurrent();
        Outcome outcome = DeniedRequest.outcomeOf(routing, denial);
        if (outcome == null) {
            RateLimitDecision decision = denial.decision();
            Policy policy = settings.policies().get(decision.policy());
            if (policy == null) {
                return Outcome.NOT_LIMITED;
            }
            outcome = new Outcome(
                    List.of(Decision.of(decision, asApplied(policy, decision))));
            headers.write(outcome, routing);
        }
        return outcome;
    }

    /** The policy as applied: its limits may have been overridden, or divided among instances. */
    private static Policy asApplied(Policy policy, RateLimitDecision decision) {
        return decision.limits().isEmpty() ? policy
                : policy.withLimits(
                        decision.limits().stream().map(state -> new PolicyLimit(state.limit(), state.definition())).toList());
    }
}
