package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.atomic.AtomicBoolean;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.vertx.ext.web.RoutingContext;

/** Does what an outcome means for the answer to a request. */
final class RequestAnswers {

    private final Engine engine;
    private final AnswerHeaders headers;

    RequestAnswers(Engine engine, AnswerHeaders headers) {
        this.engine = engine;
        this.headers = headers;
    }

    /**
     * Tells the caller where it stands.
     *
     * @param refusal {@code null} where the request is admitted
     */
    void decided(Outcome outcome, RateLimitExceededException refusal, RoutingContext routing) {
        headers.write(outcome, routing);
        if (refusal != null) {
            Refused.remember(routing, outcome, refusal);
        } else {
            countByStatus(outcome, routing);
        }
    }

    /** Lets the call count only if the response has one of the statuses for which its policies count. */
    void countByStatus(Outcome outcome, RoutingContext routing) {
        if (outcome.countsByStatus()) {
            AtomicBoolean settled = new AtomicBoolean();
            routing.addHeadersEndHandler(ignored -> {
                if (settled.compareAndSet(false, true)) {
                    engine.settle(outcome, routing.response().getStatusCode());
                }
            });
        }
    }
}
