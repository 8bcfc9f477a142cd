package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.vertx.ext.web.RoutingContext;

/** Finds the response to a request that a denial has failed: of the request itself, or of a bean call within it. */
final class ThrownDenials {

    private final ResponseHeaders headers;
    private final Settings settings;

    ThrownDenials(ResponseHeaders headers, Settings settings) {
        this.headers = headers;
        this.settings = settings;
    }

    DenialResponse response(RateLimitException denial, RoutingContext routing, Work work) {
        return DenialResponse.of(denial, outcomeOf(denial, routing, work));
    }

    /**
     * Returns the outcome of a denied request. For a denied bean call, creates an outcome and writes its headers. For a
     * denial by anything else, returns an empty outcome.
     */
    private Outcome outcomeOf(RateLimitException denial, RoutingContext routing, Work work) {
        Outcome outcome = DeniedRequest.outcomeOf(routing, denial);
        if (outcome == null) {
            RateLimitDecision decision = denial.decision();
            Policy policy = settings.policies().get(decision.policy());
            outcome = policy == null ? Outcome.NOT_LIMITED
                    : new Outcome(List.of(UncountedDecision.of(decision, asApplied(policy, decision))));
            headers.write(outcome, routing, work);
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
