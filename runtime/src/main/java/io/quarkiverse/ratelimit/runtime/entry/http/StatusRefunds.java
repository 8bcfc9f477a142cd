package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.vertx.core.http.HttpServerResponse;

/**
 * Refunds the calls of a request that do not count with its final status. This is the status of the response. When the client
 * has left and no response is written, it is the status of the work's result. Without either, all calls count, except that of
 * a request whose work has not begun.
 */
final class StatusRefunds {

    private final Refunds refunds;
    private final HttpServerResponse response;
    private final List<Outcome> ofBeans = new ArrayList<>(1);
    private final List<Outcome> ofRequest = new ArrayList<>(1);
    private int status = Work.UNKNOWN_STATUS;
    private boolean responds, unserved;

    StatusRefunds(Refunds refunds, HttpServerResponse response) {
        this.refunds = refunds;
        this.response = response;
    }

    /** Adds the outcome of a call within the request. */
    void add(Outcome outcome) {
        add(outcome, ofBeans);
    }

    /** Adds the outcome of the request itself, which is refunded if the request is not served. */
    void addOfRequest(Outcome outcome) {
        add(outcome, ofRequest);
    }

    private void add(Outcome outcome, List<Outcome> calls) {
        // without the lock of this: headWritten() takes that of the connection, with which the handlers of the response run
        int written = response.headWritten() ? response.getStatusCode() : Work.UNKNOWN_STATUS;
        synchronized (this) {
            int known = written == Work.UNKNOWN_STATUS ? status : written;
            if (known == Work.UNKNOWN_STATUS) {
                calls.add(outcome);
            } else {
                refunds.refundByStatus(outcome, known);
            }
        }
    }

    /**
     * Refunds a request whose client has left before its work began. Bean methods that it has called count.
     *
     * @return whether the request is refunded, now or before, and so must not be served
     */
    synchronized boolean refundUnserved() {
        unserved |= !ofRequest.isEmpty();
        // there is no status that could count
        ofRequest.forEach(outcome -> refunds.refundByStatus(outcome, Statuses::areRestricted));
        ofRequest.clear();
        ofBeans.clear();
        return unserved;
    }

    /** Waits for {@link #refundByResponse}. */
    synchronized void responseBegins() {
        responds = true;
    }

    void refundByResponse() {
        // headWritten() has waited for the thread that writes the head, so this status is final
        if (response.headWritten()) {
            refund(response.getStatusCode());
        }
    }

    /** @param status {@link Work#UNKNOWN_STATUS} if there is none */
    synchronized void refundByResult(int status) {
        if (!responds && status != Work.UNKNOWN_STATUS) {
            refund(status);
        }
    }

    private synchronized void refund(int status) {
        this.status = status;
        for (List<Outcome> calls : List.of(ofBeans, ofRequest)) {
            calls.forEach(outcome -> refunds.refundByStatus(outcome, status));
            calls.clear();
        }
    }
}
