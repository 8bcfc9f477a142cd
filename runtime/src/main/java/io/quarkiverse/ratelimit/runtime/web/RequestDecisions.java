package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Refunds;
import io.vertx.ext.web.RoutingContext;

/** Applies outcomes to the response of a request. */
public final class RequestDecisions {

    private final Refunds refunds;
    private final ResponseHeaders headers;

    RequestDecisions(Refunds refunds, ResponseHeaders headers) {
        this.refunds = refunds;
        this.headers = headers;
    }

    /**
     * Writes the headers for an outcome, and prepares the denial or the refund by status.
     *
     * @param denial the exception with which the request fails, this very instance; {@code null} where it is allowed
     * @param end reports the status for which the call may count, and writes the headers of the work's result
     */
    public void apply(Outcome outcome, RateLimitException denial, RoutingContext routing, WorkEnd end) {
        Outcome earlier = headers.write(outcome, routing, end);
        if (denial != null) {
            DeniedRequest.remember(routing, outcome, denial);
            if (earlier != null) {
                // a route had charged a part of the cost
                refunds.refundPart(earlier, outcome);
            }
        } else {
            countByStatus(outcome, routing, end);
        }
    }

    /**
     * Counts the call only if the request ends with one of the statuses for which its policies count. The same status
     * decides whether the earlier calls of the request count.
     */
    void countByStatus(Outcome outcome, RoutingContext routing, WorkEnd end) {
        boolean countsByStatus = outcome.countsByStatus();
        if (countsByStatus || routing.get(StatusRefunds.KEY) != null) {
            StatusRefunds byStatus = StatusRefunds.of(routing, refunds);
            if (countsByStatus) {
                byStatus.add(outcome);
            }
            byStatus.observe(end);
        }
    }
}
