package io.quarkiverse.ratelimit.runtime.web;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Holds the permits of a request until its work has ended, and its response is complete or its client has left. Whether
 * a response is complete does not follow from its headers, which depend on the protocol that the client has chosen.
 *
 * <p>
 * When a client leaves before the response begins, the end of unknown work is unknown, too. The permits are then released
 * when a response is still written, or after a third of the lease time.
 */
final class ResponseLease implements Lease {

    /** A request has its leases under this key if it held permits before its work was known. */
    private static final String KEY = ResponseLease.class.getName();

    private final Lease lease;
    private final HttpServerResponse response;
    private final Context context;
    private volatile Work work;
    private volatile Runnable stopListening = () -> {
    };
    private volatile boolean callRuns, complete, left;

    private ResponseLease(Lease lease, RoutingContext routing, Work work) {
        this.lease = lease;
        this.response = routing.response();
        this.context = ServedRequest.contextOf(routing.request());
        this.work = work;
        this.complete = response.ended();
    }

    /** Holds the permits of a request that may begin now. */
    static void hold(Lease lease, RoutingContext routing, Work work) {
        ResponseLease held = new ResponseLease(lease, routing, work);
        if (work == Work.UNKNOWN) {
            List<ResponseLease> ofRequest = routing.get(KEY, new ArrayList<>(1));
            ofRequest.add(held);
            routing.put(KEY, ofRequest);
        }
        held.listen(routing);
    }

    /** Holds the permits of a call that serves the request. The call releases the result when it has ended. */
    static Lease holdDuringCall(Lease lease, RoutingContext routing, Work work) {
        if (lease == Lease.NONE) {
            return lease;
        }
        ResponseLease held = new ResponseLease(lease, routing, work);
        held.callRuns = true;
        held.listen(routing);
        return held;
    }

    /** The permits that the request holds already are needed for this work. */
    static void servedBy(Work work, RoutingContext routing) {
        for (ResponseLease held : routing.get(KEY, List.<ResponseLease> of())) {
            held.work = work;
            work.onEnd(held::releaseIfOver);
        }
    }

    static void listenAgain(RoutingContext routing) {
        routing.get(KEY, List.<ResponseLease> of()).forEach(held -> held.listenToResponse(routing));
    }

    private void listen(RoutingContext routing) {
        lease.confirm(this::isOver);
        work.onEnd(this::releaseIfOver);
        listenToResponse(routing);
        if (!complete) {
            stopListening = ServedRequest.onConnectionClosed(routing.request(), this::clientLeft);
        }
        if (!complete && !work.ownsResponse()) {
            routing.addEndHandler(ignored -> {
                if (response.ended()) {
                    complete();
                } else {
                    clientLeft();
                }
            });
        }
    }

    private void listenToResponse(RoutingContext routing) {
        // a response that is passed as a whole: the client may send its next request as soon as this one is written
        routing.addHeadersEndHandler(ignored -> {
            if (response.ended()) {
                complete();
            }
        });
        routing.addBodyEndHandler(ignored -> complete());
    }

    private void complete() {
        complete = true;
        releaseIfOver();
    }

    private void clientLeft() {
        left = true;
        work.cancel();
        if (work != Work.UNKNOWN || response.headWritten()) {
            releaseIfOver();
        }
    }

    /** A response that is being sent from a file has ended for Vert.x, but is not complete. */
    private boolean isOver() {
        return !callRuns && (complete ? work.endsWithResponse() : (left || response.closed()) && work.endsWithClient());
    }

    /** On the context that writes the response, so that the release is sent before the client can send its next request. */
    private void releaseIfOver() {
        if (isOver()) {
            stopListening.run();
            EventLoop.switchTo(context, null, ignored -> lease.release());
        }
    }

    @Override
    public Uni<Void> release() {
        callRuns = false;
        releaseIfOver();
        return Uni.createFrom().voidItem();
    }
}
