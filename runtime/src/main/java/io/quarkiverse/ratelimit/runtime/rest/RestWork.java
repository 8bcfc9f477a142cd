package io.quarkiverse.ratelimit.runtime.rest;

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

import io.quarkiverse.ratelimit.runtime.web.RouteFilter;
import io.quarkiverse.ratelimit.runtime.web.Work;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** The work of a resource method: its end, and the status and the headers of its result. */
public final class RestWork implements Work {

    private static final ServerRestHandler[] CANCELED = {};
    /** Of all works of a request, that of {@link #onStatus} is under this key: only it knows when the method begins. */
    private static final String OBSERVED = RestWork.class.getName();

    private final ResteasyReactiveRequestContext request;
    private volatile boolean ended, begun;
    /** Whether the client has left while a worker was to call the method, or ran the filters before it. */
    private boolean canceled;

    RestWork(ResteasyReactiveRequestContext request) {
        this.request = request;
    }

    /** A filter that runs before the request is matched has no path parameters. */
    @Override
    public String pathParameter(String name) {
        return request.getTarget() == null ? null : request.getPathParameter(name, false);
    }

    @Override
    public void onEnd(Runnable task) {
        request.registerCompletionCallback(failure -> {
            ended = true;
            task.run();
        });
    }

    /** A response may be written while the method runs, and a {@link StreamingOutput} may run on after its last byte. */
    @Override
    public boolean endsWithResponse() {
        return endsWithClient() || request.getThrowable() != null
                || request.getResponse() != null && !(request.getResponseEntity() instanceof StreamingOutput);
    }

    /**
     * When the client leaves, a stream ends, but work on a worker thread and a {@link Uni} that cannot be canceled continue.
     * A request is suspended once its method has returned and others send its events or its response.
     */
    @Override
    public boolean endsWithClient() {
        if (ended || request.getResult() instanceof Flow.Publisher) {
            return true;
        }
        boolean hasReturned = request.isSuspended() && !isPending(request.getResult());
        return hasReturned && (request.getSseEventSink() != null || request.serverResponse().headWritten());
    }

    /**
     * Ends a request that waits, for its body or for a filter, before its method is called. If it waits for a worker, or runs
     * there, it ends when the method is to begin.
     */
    @Override
    public boolean cancel() {
        synchronized (request) {
            if (request.getHandlers() == CANCELED) {
                return true;
            }
            RestWork observed = request.unwrap(RoutingContext.class).get(OBSERVED);
            if (isInvoked() || observed != null && observed.begun) {
                return false;
            }
            if (!request.isSuspended()) {
                if (observed != null) {
                    observed.canceled = true;
                }
                return observed != null;
            }
            request.restart(CANCELED, true);
        }
        request.close();
        return true;
    }

    @Override
    public boolean hasBegun() {
        return begun;
    }

    private boolean isInvoked() {
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
    public void onStatus(IntConsumer status) {
        begun = isInvoked();
        request.unwrap(RoutingContext.class).put(OBSERVED, this);
        request.registerCompletionCallback(failure -> reportStatus(failure, status));
    }

    private static void begin(ResteasyReactiveRequestContext request) {
        RestWork observed = request.unwrap(RoutingContext.class).get(OBSERVED);
        if (observed == null) {
            return;
        }
        synchronized (request) {
            if (observed.canceled) {
                request.restart(CANCELED, true);
            } else {
                observed.begun = true;
            }
        }
    }

    private void reportStatus(Throwable failure, IntConsumer status) {
        Object result = request.getResult();
        if (result instanceof Response response) {
            status.accept(response.getStatus());
        } else if (result instanceof RestResponse<?> response) {
            status.accept(response.getStatus());
        } else if (failure == null && !isPending(result) && request.getHandlers() != CANCELED) {
            status.accept(result == null ? 204 : 200);
        }
    }

    /** Whether the status is not known yet: the result comes later, or is an exception that is mapped. */
    private static boolean isPending(Object result) {
        return result instanceof Uni || result instanceof CompletionStage || result instanceof Flow.Publisher
                || result instanceof Throwable;
    }

    /** Connects each resource method to the decision of a route for the same request, and observes when the method begins. */
    public static final class RouteBinding implements HandlerChainCustomizer {

        @Override
        public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
            // a locator only finds the resource whose method serves the request
            return method.getHttpMethod() == null ? List.of() : switch (phase) {
                case AFTER_MATCH -> List.of(RouteBinding::connect);
                case BEFORE_METHOD_INVOKE -> List.of(RestWork::begin);
                default -> List.of();
            };
        }

        private static void connect(ResteasyReactiveRequestContext request) {
            RoutingContext routing = request.unwrap(RoutingContext.class);
            if (routing.get(RouteFilter.DECIDED) != null) {
                RouteFilter.servedBy(new RestWork(request), routing);
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
