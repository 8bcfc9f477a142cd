package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.vertx.ext.web.RoutingContext;

/**
 * Stores on a request what denied it. The mapper uses this to find the whole outcome, whose headers are already
 * written.
 */
record DeniedRequest(Outcome outcome, RateLimitException denial) {

    private static final String KEY = DeniedRequest.class.getName();

    static void remember(RoutingContext routing, Outcome outcome, RateLimitException denial) {
        routing.put(KEY, new DeniedRequest(outcome, denial));
    }

    /** The outcome that belongs to this exception; {@code null} when something else has denied. */
    static Outcome outcomeOf(RoutingContext routing, RateLimitException denial) {
        DeniedRequest denied = routing.get(KEY);
        return denied != null && denied.denial == denial ? denied.outcome : null;
    }
}
