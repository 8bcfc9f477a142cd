package io.quarkiverse.ratelimit.runtime.entry.classic;

import java.util.function.IntConsumer;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Singleton;
import jakarta.ws.rs.container.CompletionCallback;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;

import org.jboss.resteasy.core.ResteasyContext;
import org.jboss.resteasy.spi.NoLogWebApplicationException;
import org.jboss.resteasy.spi.ResteasyAsynchronousContext;

import io.quarkiverse.ratelimit.runtime.entry.http.Work;
import io.quarkus.arc.ClientProxy;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * The work of a request to RESTEasy Classic. It ends with the request scope, also when the client has left. The scope ends
 * before the response does, but after the response to an exception that nothing maps. RESTEasy does not end the scope when an
 * asynchronous response is completed on another thread, or when the client leaves while it writes a part of a file.
 */
@RequestScoped
public class ClassicWork implements Work {

    private final HttpServerResponse response;
    private final UriInfo uri;
    private final ResteasyAsynchronousContext asynchronous;
    private volatile IntConsumer end = status -> {
    };
    private volatile boolean suspendedByMethod;

    ClassicWork(CurrentVertxRequest current) {
        RoutingContext routing = current.getCurrent();
        this.response = routing.response();
        this.uri = ResteasyContext.getContextData(UriInfo.class);
        this.asynchronous = ResteasyContext.getContextData(ResteasyAsynchronousContext.class);
        asynchronous.getAsyncResponse().register((CompletionCallback) failure -> end());
        routing.addHeadersEndHandler(ignored -> suspendedByMethod = asynchronous.isSuspended());
    }

    @Override
    public String pathParameter(String name) {
        return uri.getPathParameters().getFirst(name);
    }

    @Override
    public void onEnd(IntConsumer end) {
        this.end = end;
    }

    @PreDestroy
    void end() {
        end.accept(UNKNOWN_STATUS);
    }

    @Override
    public boolean isOverWhenResponded() {
        return response.getStatusCode() >= 400;
    }

    @Override
    public boolean ownsResponse() {
        return true;
    }

    @Override
    public RuntimeException clientHasLeft() {
        return new NoLogWebApplicationException(Response.Status.NO_CONTENT);
    }

    /** A method that has not suspended its request has returned when an asynchronous writer suspends it. */
    @Override
    public boolean isOverWhenClientLeft() {
        return response.headWritten() && !suspendedByMethod && asynchronous.isSuspended();
    }

    @Singleton
    public record OfResource(ClassicWork work) implements Work.Current {

        /** Without the proxy of its scope, because the work is needed when the scope has ended. */
        @Override
        public Work get() {
            return ResteasyContext.getContextData(UriInfo.class) == null ? Work.UNKNOWN : ClientProxy.unwrap(work);
        }
    }
}
