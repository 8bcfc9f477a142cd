package io.quarkiverse.ratelimit.runtime.web;

import jakarta.inject.Singleton;

import org.jboss.logging.Logger.Level;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.vertx.ext.web.RoutingContext;

/** Applies outcomes to the response of a request. */
@Singleton
public final class RequestDecisions {

    private final FailureLog failures = new FailureLog(Level.ERROR, "Decisions could not be applied to requests");
    private final Refunds refunds;
    private final ResponseHeaders headers;
    private final ThrownDenials denials;

    RequestDecisions(Refunds refunds, ResponseHeaders headers, ThrownDenials denials) {
        this.refunds = refunds;
        this.headers = headers;
        this.denials = denials;
    }

    /** Like {@link #apply}; an allowed request holds the permits of the outcome until its work has ended. */
    public boolean applyAndHold(Outcome outcome, RateLimitException denial, RoutingContext routing, Work work) {
        boolean goesOn = apply(outcome, denial, routing, work);
        if (goesOn && denial == null && outcome.lease() != Lease.NONE) {
            ResponseLease.hold(outcome.lease(), routing, work);
        }
        return goesOn;
    }

    /**
     * Writes the headers for an outcome, and prepares the denial or the refund by status.
     *
     * @param denial the exception with which the request fails, this very instance; {@code null} where it is allowed
     * @param work its status decides whether the call counts, and its headers are written before those of the limiter
     * @return whether the request goes on; {@code false} if its client has left, so that it was refunded
     */
    boolean apply(Outcome outcome, RateLimitException denial, RoutingContext routing, Work work) {
        if (denial != null) {
            denials.apply(outcome, denial, routing, work);
            return true;
        }
        headers.writeWhenResponseBegins(outcome, routing, work);
        StatusRefunds byStatus = countByStatus(outcome, routing, work);
        if (byStatus == null) {
            return true;
        }
        byStatus.addOfRequest(outcome);
        if (!routing.response().closed()) {
            byStatus.cancelWithClient(work, routing);
            return true;
        }
        byStatus.refundUnserved();
        outcome.lease().release();
        return false;
    }

    /**
     * Counts the call only if the request ends with one of the statuses for which its policies count. The same status
     * decides whether the earlier calls of the request count.
     *
     * @return {@code null} if nothing counts by the status
     */
    StatusRefunds countByStatus(Outcome outcome, RoutingContext routing, Work work) {
        boolean countsByStatus = outcome.countsByStatus();
        if (!countsByStatus && routing.get(StatusRefunds.KEY) == null) {
            return null;
        }
        StatusRefunds byStatus = StatusRefunds.attach(routing, refunds);
        if (countsByStatus) {
            byStatus.add(outcome);
        }
        byStatus.observe(work);
        return byStatus;
    }

    /** Logs that an outcome could not be applied, and releases its permits. */
    public void failed(Outcome outcome, Throwable failure) {
        outcome.lease().release();
        failures.failed(failure);
    }
}
