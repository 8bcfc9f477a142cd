package io.quarkiverse.ratelimit.runtime.entry.rest;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.IntConsumer;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.handlers.InvocationHandler;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;
import org.jboss.resteasy.reactive.server.vertx.VertxResteasyReactiveRequestContext;

import io.quarkiverse.ratelimit.runtime.entry.http.LimitedRequest;
import io.quarkiverse.ratelimit.runtime.entry.http.Work;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** The work of a resource method: its end, and the status and the headers of its result. */
public record RestWork(ResteasyReactiveRequestContext request) implements Work {

    private static final ServerRestHandler[] CANCELED = {};

    /** A filter that runs before the request is matched has no path parameters. */
    @Override
    public String pathParameter(String name) {
        return request.getTarget() == null ? null : request.getPathParameter(name, false);
    }

    /** A response may be written while the method runs, and a {@link StreamingOutput} may run on after its last byte. */
    @Override
    public boolean isOverWhenResponded() {
        return isOverWhenClientLeft() || request.getThrowable() != null
                || request.getResponse() != null && !(request.getResponseEntity() instanceof StreamingOutput);
    }

    /**
     * When the client leaves, a stream ends, but work on a worker thread and a {@link Uni} that cannot be canceled continue.
     * A request is suspended once its method has returned and others send its events or its response.
     */
    @Override
    public boolean isOverWhenClientLeft() {
        if (request.getResult() instanceof Flow.Publisher) {
            return true;
        }
        boolean hasReturned = request.isSuspended() && !isPending(request.getResult());
        return hasReturned && (request.getSseEventSink() != null || request.serverResponse().headWritten());
    }

    /** Ends a request that waits, for its body or for a filter, before its method is called. */
    @Override
    public void cancel() {
        synchronized (request) {
            if (hasBegun() || !request.isSuspended()) {
                return;
            }
            request.restart(CANCELED, true);
        }
        request.close();
    }

    /** Returns {@code true} also for a chain that has been aborted or canceled, which calls no method any more. */
    @Override
    public boolean hasBegun() {
        ServerRestHandler[] handlers = request.getHandlers();
        for (int next = request.getPosition(); next < handlers.length; next++) {
            if (handlers[next] instanceof InvocationHandler) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void writeHeaders() {
        if (request instanceof VertxResteasyReactiveRequestContext vertxRequest) {
            // runs the listener that writes the headers; removing it prevents a second write
            vertxRequest.handle(null);
            vertxRequest.setPreCommitListener(null);
        }
    }

    @Override
    public void onEnd(IntConsumer end) {
        request.registerCompletionCallback(failure -> end.accept(status(failure)));
    }

    private int status(Throwable failure) {
        Object result = request.getResult();
        if (result instanceof Response response) {
            return response.getStatus();
        }
        if (result instanceof RestResponse<?> response) {
            return response.getStatus();
        }
        boolean known = failure == null && !isPending(result) && request.getHandlers() != CANCELED;
        return !known ? UNKNOWN_STATUS : result == null ? 204 : 200;
    }

    /** Returns whether the status is not known yet: the result comes later, or is an exception that is mapped. */
    private static boolean isPending(Object result) {
        return result instanceof Uni || result instanceof CompletionStage || result instanceof Flow.Publisher
                || result instanceof Throwable;
    }

    /** Connects each resource method to the decisions for its request before it, and reports when the method begins. */
    public static final class RouteBinding implements HandlerChainCustomizer {

        @Override
        public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
            // a locator only finds the resource whose method serves the request
            return method.getHttpMethod() == null ? List.of() : switch (phase) {
                case AFTER_MATCH -> List.of(RouteBinding::connect);
                case BEFORE_METHOD_INVOKE -> List.of(RouteBinding::begin);
                default -> List.of();
            };
        }

        private static void connect(ResteasyReactiveRequestContext request) {
            LimitedRequest limited = request.unwrap(RoutingContext.class).get(LimitedRequest.KEY);
            if (limited != null) {
                limited.servedBy(new RestWork(request));
            }
        }

        private static void begin(ResteasyReactiveRequestContext request) {
            LimitedRequest limited = request.unwrap(RoutingContext.class).get(LimitedRequest.KEY);
            if (limited != null && !limited.begin()) {
                request.restart(CANCELED, true);
            }
        }
    }

    @Singleton
    public static class OfResource implements Work.Current {

        @Override
        public Work get() {
            ResteasyReactiveRequestContext request = CurrentRequestManager.get();
            return request == null ? Work.UNKNOWN : new RestWork(request);
        }
    }
}
