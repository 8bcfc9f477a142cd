package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.denial.Denial;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.ext.web.RoutingContext;

/**
 * Finds the response to a request that a denial has failed: of the request itself, or of a bean call within it. The first
 * denial creates it, as the router exists before the configuration can be read.
 */
@ApplicationScoped
public class ThrownDenials {

    private static final String KEY = DeniedRequest.class.getName();

    private final ResponseHeaders headers;
    private final Settings settings;

    ThrownDenials(ResponseHeaders headers, Settings settings) {
        this.headers = headers;
        this.settings = settings;
    }

    /** Stores on a request what denied it, and all decisions for it, whose headers are already written. */
    static void remember(RoutingContext routing, Outcome outcome, RateLimitException denial) {
        routing.put(KEY, new DeniedRequest(outcome, denial));
    }

    private record DeniedRequest(Outcome outcome, RateLimitException denial) {
    }

    /** Responds where no REST server maps exceptions, such as in reactive routes. */
    void respond(RoutingContext routing) {
        RateLimitException denial = Denial.in(routing.failure());
        if (denial == null || routing.response().headWritten()) {
            routing.next();
        } else {
            response(denial, routing, Work.UNKNOWN).send(routing);
        }
    }

    DenialResponse response(RateLimitException denial, RoutingContext routing, Work work) {
        return DenialResponse.of(denial, outcomeOf(denial, routing, work));
    }

    /**
     * Returns the outcome of a denied request. For a denied bean call, creates an outcome and writes its headers. For a
     * denial by anything else, returns an empty outcome.
     */
    private Outcome outcomeOf(RateLimitException denial, RoutingContext routing, Work work) {
        DeniedRequest denied = routing.get(KEY);
        if (denied != null && denied.denial == denial) {
            return denied.outcome;
        }
        RateLimitDecision decision = denial.decision();
        Policy policy = settings.policies().get(decision.policy());
        Outcome outcome = policy == null ? Outcome.NOT_LIMITED
                : new Outcome(List.of(UncountedDecision.of(decision, asApplied(policy, decision))));
        headers.write(outcome, routing, work);
        return outcome;
    }

    /** The policy as applied: its limits may have been overridden, or divided among instances. */
    private static Policy asApplied(Policy policy, RateLimitDecision decision) {
        return decision.limits().isEmpty() ? policy
                : policy.withLimits(
                        decision.limits().stream().map(state -> new PolicyLimit(state.limit(), state.definition())).toList());
    }
}
