package io.quarkiverse.ratelimit.runtime.web;

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
    void decided(Outcome outcome, RateLimitExceededException refusal, RoutingContext routing, EndOfWork end) {
        Outcome earlier = headers.write(outcome, routing);
        if (refusal != null) {
            Refused.remember(routing, outcome, refusal);
            if (earlier != null) {
                engine.giveBackPart(earlier, outcome);
            }
        } else {
            countByStatus(outcome, routing, end);
        }
    }

    /**
     * Lets the call count only if the request ends with one of the statuses for which its policies count, and what was
     * decided for the request before as well.
     */
    void countByStatus(Outcome outcome, RoutingContext routing, EndOfWork end) {
        Settlement settlement = Settlement.of(routing);
        if (outcome.countsByStatus()) {
            if (settlement == null) {
                settlement = Settlement.begin(routing, engine);
            }
            settlement.add(outcome);
        }
        if (settlement != null) {
            settlement.observe(end);
        }
    }
}
