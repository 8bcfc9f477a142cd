package io.quarkiverse.ratelimit.runtime.web;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Turns;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
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
    private final Turns turns;

    ThrownDenials(ResponseHeaders headers, Settings settings, Turns turns) {
        this.headers = headers;
        this.settings = settings;
        this.turns = turns;
    }

    /** Writes the headers of a denied request, and stores on it how it is denied. */
    void apply(Outcome outcome, RateLimitException denial, RoutingContext routing, Work work) {
        routing.put(KEY, denied(outcome, denial, routing, work));
    }

    /** What denied a request, and what its caller is told instead if it has to wait for its turn. */
    private record DeniedRequest(RateLimitException denial, RateLimitException told, Outcome outcome) {
    }

    private DeniedRequest denied(Outcome exact, RateLimitException denial, RoutingContext routing, Work work) {
        Outcome outcome = turns.withTurns(exact);
        headers.writeWhenResponseBegins(outcome, routing, work);
        return new DeniedRequest(denial, outcome == exact ? denial : outcome.newDenial(), outcome);
    }

    /** The response to a denied request, or to one within which a bean call was denied. */
    DenialResponse response(RateLimitException denial, RoutingContext routing, Work work) {
        DeniedRequest denied = routing.get(KEY);
        if (denied == null || denied.denial != denial) {
            denied = denied(outcomeOf(denial.decision()), denial, routing, work);
        }
        return DenialResponse.of(denied.told, denied.outcome);
    }

    /** The outcome of a denied bean call, without decisions if anything else has denied it. */
    private Outcome outcomeOf(RateLimitDecision decision) {
        Policy policy = settings.policies().get(decision.policy());
        return policy == null ? Outcome.NOT_LIMITED
                : new Outcome(List.of(UncountedDecision.of(decision,
                        decision.limits().isEmpty() ? policy : policy.withLimitsOf(decision.limits()))));
    }
}
