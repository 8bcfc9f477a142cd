package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.vertx.ext.web.RoutingContext;

/**
 * Releases the permits of a request when its work ends: before its client can read the response and send the next
 * request, or when its stream ends. When the client leaves, a stream ends, but work on a worker thread continues.
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
            // a chunked response is written while the work continues
            if (!routing.response().isChunked()) {
                lease.release();
            }
        });
        BooleanSupplier isStream = () -> request.getResult() instanceof Flow.Publisher;
        ResponseLease.releaseWithClient(lease, routing, isStream, isStream);
    }
}
