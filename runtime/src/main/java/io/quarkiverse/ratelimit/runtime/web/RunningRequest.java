package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.Flow;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;

/**
 * Gives back what a request holds when its work ends: before its client can read the answer and ask again, or when its
 * stream ends. A client that leaves ends a stream, but no work on a worker.
 */
final class RunningRequest {

    private final Lease lease;
    private final ResteasyReactiveRequestContext request;
    private final HttpServerResponse response;

    private RunningRequest(Lease lease, ResteasyReactiveRequestContext request, RoutingContext routing) {
        this.lease = lease;
        this.request = request;
        this.response = routing.response();
    }

    static void hold(Lease lease, ResteasyReactiveRequestContext request, RoutingContext routing) {
        if (lease != Lease.NONE) {
            new RunningRequest(lease, request, routing).releaseAtTheEnd(routing);
        }
    }

    private void releaseAtTheEnd(RoutingContext routing) {
        request.registerCompletionCallback(failure -> lease.release());
        routing.addHeadersEndHandler(ignored -> {
            // a chunked answer is written while the work goes on
            if (!response.isChunked()) {
                lease.release();
            }
        });
        routing.addEndHandler(ended -> clientIsGone());
        // nobody tells of a response that is reset, as its stream failed or its client's connection broke
        lease.hold(() -> isStream() && (response.ended() || response.closed()));
        if (routing.request().connection() instanceof ConnectionBase connection) {
            Future<Void> closed = connection.channel().closeFuture();
            GenericFutureListener<Future<Void>> listener = ignored -> clientIsGone();
            closed.addListener(listener);
            routing.addEndHandler(ended -> closed.removeListener(listener));
        }
    }

    private void clientIsGone() {
        if (isStream()) {
            lease.release();
        }
    }

    private boolean isStream() {
        return request.getResult() instanceof Flow.Publisher;
    }
}
