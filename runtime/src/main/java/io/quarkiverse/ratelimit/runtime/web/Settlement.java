package io.quarkiverse.ratelimit.runtime.web;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Refunds;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Waits for the final status of a request, and settles its calls by that status. This is the status of the response.
 * When the client has left and no response is written, it is the status of the work's result. Without either, all calls
 * count.
 */
final class Settlement {

    /** A request has a value under this key if any of its calls counts by the status. */
    static final String KEY = Settlement.class.getName();
    private static final int UNKNOWN = 0;

    private final Refunds refunds;
    private final HttpServerResponse response;
    private final List<Outcome> open = new ArrayList<>(1);
    private int status = UNKNOWN;
    private boolean responded;
    private boolean observed;

    private Settlement(Refunds refunds, HttpServerResponse response) {
        this.refunds = refunds;
        this.response = response;
    }

    /** The settlement of this request. */
    static Settlement of(RoutingContext routing, Refunds refunds) {
        Settlement settlement = routing.get(KEY);
        if (settlement == null) {
            settlement = new Settlement(refunds, routing.response());
            routing.put(KEY, settlement);
            routing.addHeadersEndHandler(ignored -> routing.<Settlement> get(KEY).settleLater(routing));
        }
        return settlement;
    }

    synchronized void add(Outcome outcome) {
        if (response.headWritten()) {
            refunds.settle(outcome, response.getStatusCode());
        } else if (status != UNKNOWN) {
            refunds.settle(outcome, status);
        } else {
            open.add(outcome);
        }
    }

    void observe(WorkEnd end) {
        if (end != WorkEnd.UNKNOWN && !observed) {
            observed = true;
            end.onStatus(this::settleWithoutResponse);
        }
    }

    /** Waits for the handlers that were added before this one, as they run later and may change the status. */
    private void settleLater(RoutingContext routing) {
        synchronized (this) {
            responded = true;
        }
        routing.vertx().runOnContext(later -> {
            // waits for the thread that is writing the head
            if (response.headWritten()) {
                settle(response.getStatusCode());
            }
        });
    }

    private synchronized void settleWithoutResponse(int status) {
        if (!responded) {
            settle(status);
        }
    }

    private synchronized void settle(int status) {
        this.status = status;
        open.forEach(outcome -> refunds.settle(outcome, status));
        open.clear();
    }
}
