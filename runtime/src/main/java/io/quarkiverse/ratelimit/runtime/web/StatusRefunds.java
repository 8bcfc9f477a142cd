package io.quarkiverse.ratelimit.runtime.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Waits for the final status of a request, and refunds the calls that do not count with it. This is the status of the response.
 * When the client has left and no response is written, it is the status of the work's result. Without either, all calls
 * count, except that of a request whose work has not begun.
 */
final class StatusRefunds {

    /** A request has a value under this key if any of its calls counts by the status. */
    static final String KEY = StatusRefunds.class.getName();
    private static final int UNKNOWN = 0;

    private final Refunds refunds;
    private final HttpServerResponse response;
    private final List<Outcome> open = new ArrayList<>(1);
    /** Those of the request itself, and not of bean methods that it has called. */
    private final List<Outcome> ofRequest = new ArrayList<>(1);
    private int status = UNKNOWN;
    private boolean responded;
    private volatile boolean clientHasLeft;
    private volatile Work observed = Work.UNKNOWN;

    private StatusRefunds(Refunds refunds, HttpServerResponse response) {
        this.refunds = refunds;
        this.response = response;
    }

    /** Attaches the refunds to the request, if it has none yet, and returns them. */
    static StatusRefunds attach(RoutingContext routing, Refunds refunds) {
        return of(routing).orElseGet(() -> {
            StatusRefunds added = new StatusRefunds(refunds, routing.response());
            routing.put(KEY, added);
            added.listen(routing);
            return added;
        });
    }

    /** Those of a request; empty if none of its calls counts by the status. */
    static Optional<StatusRefunds> of(RoutingContext routing) {
        return Optional.ofNullable(routing.get(KEY));
    }

    void listen(RoutingContext routing) {
        routing.addHeadersEndHandler(ignored -> refundLater(routing));
    }

    void add(Outcome outcome) {
        // without the lock of this: headWritten() takes that of the connection, with which the handlers of the response run
        int written = response.headWritten() ? response.getStatusCode() : UNKNOWN;
        synchronized (this) {
            if (written != UNKNOWN || status != UNKNOWN) {
                refunds.refundByStatus(outcome, written != UNKNOWN ? written : status);
            } else {
                open.add(outcome);
            }
        }
    }

    /** Marks an outcome that was added as that of the request itself, which is refunded if the request is not served. */
    synchronized void markOfRequest(Outcome outcome) {
        if (open.contains(outcome)) {
            ofRequest.add(outcome);
        }
    }

    void observe(Work work) {
        if (work != Work.UNKNOWN && observed == Work.UNKNOWN) {
            observed = work;
            work.onStatus(this::refundWithoutResponse);
        }
    }

    /** Observes the work, and cancels and refunds it if it has not begun when the client leaves. */
    void cancelWithClient(Work work, RoutingContext routing) {
        observe(work);
        if (work != Work.UNKNOWN && !work.ownsResponse() && !response.ended()) {
            routing.addEndHandler(end -> {
                clientHasLeft |= end.failed();
                if (!response.ended() && work.cancel()) {
                    refundUnserved();
                }
            });
        }
    }

    /** Refunds a request whose client has left before its work began. Bean methods that it has called count. */
    synchronized void refundUnserved() {
        // there is no status that could count
        ofRequest.forEach(outcome -> refunds.refundByStatus(outcome, Statuses::areRestricted));
        ofRequest.clear();
        open.clear();
    }

    /** Refunds in a later task, as handlers that were added before are called after this one, and may change the status. */
    private void refundLater(RoutingContext routing) {
        synchronized (this) {
            responded = true;
        }
        routing.vertx().runOnContext(later -> {
            if (clientHasLeft && !observed.hasBegun()) {
                // the response is to a body that cannot be read any more
                refundUnserved();
            } else if (response.headWritten()) {
                // headWritten() has waited for the thread that writes the head, so this status is final
                refund(response.getStatusCode());
            }
        });
    }

    private synchronized void refundWithoutResponse(int status) {
        if (!responded) {
            refund(status);
        }
    }

    private synchronized void refund(int status) {
        this.status = status;
        open.forEach(outcome -> refunds.refundByStatus(outcome, status));
        open.clear();
    }
}
