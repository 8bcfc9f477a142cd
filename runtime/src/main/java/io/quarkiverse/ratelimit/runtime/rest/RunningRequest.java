package io.quarkiverse.ratelimit.runtime.rest;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.vertx.VertxResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.web.ResponseLease;
import io.quarkiverse.ratelimit.runtime.web.WorkEnd;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** Observes the work of a resource method: its end, and the status and the headers of its result. */
final class RunningRequest {

    private RunningRequest() {
    }

    /**
     * Releases the permits of a request when its work ends: before its client can read the response and send the next
     * request, or when its stream ends. When the client leaves, a stream ends, but work on a worker thread continues.
     */
    static void releaseAtEnd(Lease lease, ResteasyReactiveRequestContext request, RoutingContext routing) {
        request.registerCompletionCallback(failure -> lease.release());
        ResponseLease.releaseBefore(routing, lease::release);
        BooleanSupplier isStream = () -> request.getResult() instanceof Flow.Publisher || request.getSseEventSink() != null;
        ResponseLease.releaseWithClient(lease, routing, isStream, isStream);
    }

    /** The work of a resource method. */
    record Work(ResteasyReactiveRequestContext request) implements WorkEnd {

        @Override
        public void onStatus(IntConsumer status) {
            request.registerCompletionCallback(failure -> reportStatus(request.getResult(), failure, status));
        }

        @Override
        public void writeHeaders() {
            if (request instanceof VertxResteasyReactiveRequestContext response) {
                response.handle(null);
                response.setPreCommitListener(null);
            }
        }
    }

    private static void reportStatus(Object result, Throwable failure, IntConsumer status) {
        if (result instanceof Response response) {
            status.accept(response.getStatus());
        } else if (result instanceof RestResponse<?> response) {
            status.accept(response.getStatus());
        } else if (failure == null && !isPending(result)) {
            status.accept(result == null ? 204 : 200);
        }
    }

    private static boolean isPending(Object result) {
        return result instanceof Uni || result instanceof CompletionStage || result instanceof Flow.Publisher
                || result instanceof Throwable;
    }
}
