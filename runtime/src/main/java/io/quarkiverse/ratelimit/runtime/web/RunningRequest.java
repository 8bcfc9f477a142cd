package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.Flow;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Gives back what a request holds when its work ends: a client that leaves ends a stream, but no work on a worker. */
final class RunningRequest {

    private RunningRequest() {
    }

    static void hold(Lease lease, ResteasyReactiveRequestContext request, RoutingContext routing) {
        if (lease != Lease.NONE) {
            request.registerCompletionCallback(failure -> lease.release());
            routing.addEndHandler(ended -> {
                if (isStream(request)) {
                    lease.release();
                }
            });
            // nobody tells of a stream that fails after its first item: its response is reset
            HttpServerResponse response = routing.response();
            lease.hold(() -> isStream(request) && (response.ended() || response.closed()));
        }
    }

    private static boolean isStream(ResteasyReactiveRequestContext request) {
        return request.getResult() instanceof Flow.Publisher;
    }
}
