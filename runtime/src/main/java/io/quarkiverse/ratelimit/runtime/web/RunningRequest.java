package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.vertx.ext.web.RoutingContext;

/**
 * Gives back what a request holds when its work ends: before its client can read the answer and ask again, or when its
 * stream ends. A client that leaves ends a stream, but no work on a worker.
 */
final class RunningRequest {

    private RunningRequest() {
    }

    static void hold(Lease lease, ResteasyReactiveRequestContext request, RoutingContext routing) {
        if (lease == Lease.NONE) {
            return;
        }
        request.registerCompletionCallback(failure -> lease.release());
        routing.addHeadersEndHandler(ignored -> {
            // a chunked answer is written while the work goes on
            if (!routing.response().isChunked()) {
                lease.release();
            }
        });
        BooleanSupplier isStream = () -> request.getResult() instanceof Flow.Publisher;
        ResponseLease.releaseWithClient(lease, routing, isStream, isStream);
    }
}
