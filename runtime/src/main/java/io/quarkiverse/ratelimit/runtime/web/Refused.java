package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.vertx.ext.web.RoutingContext;

/** Remembers on a request what refused it, so that the mapper knows the whole outcome and that its headers are written. */
record Refused(Outcome outcome, RateLimitExceededException refusal) {

    private static final String KEY = Refused.class.getName();

    static void remember(RoutingContext routing, Outcome outcome, RateLimitExceededException refusal) {
        routing.put(KEY, new Refused(outcome, refusal));
    }

    /** The outcome that this exception stands for, or {@code null} when it was not the filter that refused. */
    static Outcome outcomeOf(RoutingContext routing, RateLimitExceededException refusal) {
        Refused refused = routing.get(KEY);
        return refused != null && refused.refusal == refusal ? refused.outcome : null;
    }
}
