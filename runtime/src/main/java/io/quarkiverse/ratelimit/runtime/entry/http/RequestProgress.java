package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.platform.vertx.ServedRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Follows a request that holds permits, may be refunded or may be delayed, until its work has ended, and its response is
 * complete or its client has left. Whether a response is complete does not follow from its headers, which depend on the
 * protocol that the client has chosen.
 *
 * <p>
 * When a client leaves before the response begins, the end of unknown work is unknown, too. Permits are then released when a
 * response is still written, or after a third of the lease time.
 */
final class RequestProgress {

    private enum State {
        /** The work has not begun. */
        DECIDING,
        RUNNING,
        /** The response is complete. The work may still run. */
        RESPONDED,
        /** The client has left before it had the whole response. The work may still run. */
        LEFT
    }

    private final RoutingContext routing;
    private final HttpServerResponse response;
    final StatusRefunds refunds;
    private final List<Lease> leases = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final AtomicReference<State> state;
    private final AtomicBoolean listens = new AtomicBoolean();
    private volatile Work work;
    private volatile Runnable stopListening = () -> {
    };

    RequestProgress(RoutingContext routing, Work work, Refunds refunds) {
        this.routing = routing;
        this.response = routing.response();
        this.refunds = new StatusRefunds(refunds, response);
        this.state = new AtomicReference<>(response.ended() ? State.RESPONDED : State.DECIDING);
        serve(work);
        listenToResponse();
    }

    /** Follows the work that serves the request. */
    void serve(Work next) {
        if (work == Work.ENDED || next.equals(work)) {
            return;
        }
        work = next;
        if (next.hasBegun()) {
            state.compareAndSet(State.DECIDING, State.RUNNING);
        } else {
            // handlers have passed the request on to a resource method
            state.compareAndSet(State.RUNNING, State.DECIDING);
        }
        next.onEnd(this::workEnded);
    }

    void listenToResponse() {
        routing.addHeadersEndHandler(ignored -> responseBegins());
        routing.addBodyEndHandler(ignored -> responded());
    }

    /**
     * Listens to the client, but not for calls that the work makes. When it runs, its server may listen already, and a response
     * has one listener.
     */
    private void listenToClient() {
        if (state.get() == State.RESPONDED || !listens.compareAndSet(false, true)) {
            return;
        }
        stopListening = ServedRequest.onConnectionClosed(routing.request(), this::clientLeft);
        if (!work.ownsResponse()) {
            routing.addEndHandler(ended -> {
                // Vert.x also reports the end of a response whose client has left
                if (ended.succeeded() && response.ended()) {
                    responded();
                } else {
                    clientLeft();
                }
            });
        }
    }

    /** Returns whether the work may begin. It may not if its client has left and it is refunded. */
    boolean begin() {
        return state.compareAndSet(State.DECIDING, State.RUNNING) || state.get() != State.LEFT || !refunds.refundUnserved();
    }

    private void responseBegins() {
        boolean unserved = state.get() == State.DECIDING;
        refunds.responseBegins();
        // later, as handlers that were added before are called after this one, and may change the status
        routing.vertx().runOnContext(later -> {
            if (unserved && state.get() == State.LEFT) {
                // the response is to a body that cannot be read any more
                refunds.refundUnserved();
            } else {
                refunds.refundByResponse();
            }
        });
        // a response that is passed as a whole: the client may send its next request as soon as this one is written
        if (response.ended()) {
            responded();
        }
    }

    private void responded() {
        state.set(State.RESPONDED);
        stopListening.run();
        end.complete(null);
        releaseIfOver();
    }

    private void clientLeft() {
        if (state.getAndSet(State.LEFT) == State.DECIDING && (refunds.refundUnserved() || !leases.isEmpty())) {
            work.cancel();
        }
        end.complete(null);
        releaseIfEndIsKnown();
    }

    private void workEnded(int status) {
        work = Work.ENDED;
        refunds.refundByResult(status);
        releaseIfOver();
    }

    /** Runs the task when the response is complete or the client has left. */
    void onEnd(Runnable task) {
        listenToClient();
        end.thenRun(task);
    }

    /** Refunds the request if its client has left. Returns whether it is refunded, and so must not be served. */
    boolean refundIfClientLeft(Outcome outcome) {
        listenToClient();
        if (outcome.countsByStatus()) {
            refunds.addOfRequest(outcome);
        }
        if (state.get() != State.LEFT && !response.closed() || !refunds.refundUnserved()) {
            return false;
        }
        leases.add(outcome.lease());
        leases.forEach(Lease::release);
        return true;
    }

    /** Holds the permits of a request that may begin now. */
    void hold(Lease lease) {
        lease.confirm(this::isOver);
        leases.add(lease);
        listenToClient();
        releaseIfEndIsKnown();
    }

    /** Holds the permits of a call that serves the request. The call releases the result when it has ended. */
    Lease holdAfterCall(Lease lease) {
        listenToClient();
        lease.confirm();
        return () -> {
            hold(lease);
            releaseIfOver();
            return Uni.createFrom().voidItem();
        };
    }

    private boolean isOver() {
        return switch (state.get()) {
            case RESPONDED -> work.isOverWhenResponded();
            case LEFT -> work.isOverWhenClientLeft();
            case DECIDING, RUNNING -> response.closed() && work.isOverWhenClientLeft();
        };
    }

    private void releaseIfEndIsKnown() {
        if (work != Work.UNKNOWN || response.headWritten()) {
            releaseIfOver();
        }
    }

    /** Releases on the context that writes the response, so before the client can send its next request. */
    private void releaseIfOver() {
        if (isOver() && !leases.isEmpty()) {
            stopListening.run();
            EventLoop.switchTo(ServedRequest.contextOf(routing.request()), null, ignored -> leases.forEach(Lease::release));
        }
    }
}
