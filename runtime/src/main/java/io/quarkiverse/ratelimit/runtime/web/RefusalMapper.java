package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.MessageBodyWriter;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.core.ServerSerialisers;
import org.jboss.resteasy.reactive.server.core.serialization.EntityWriter;
import org.jboss.resteasy.reactive.server.core.serialization.FixedEntityWriterArray;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveExceptionMapper;
import org.jboss.resteasy.reactive.server.spi.ServerRequestContext;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/**
 * Answers a refused call of Quarkus REST with 429 or 503, unless the application maps the exception itself. What writes the
 * body is searched once: for a response that an exception is mapped to, Quarkus REST would do it each time.
 */
@ApplicationScoped
@Priority(Priorities.USER + 1)
public class RefusalMapper implements ResteasyReactiveExceptionMapper<RateLimitExceededException> {

    private static final MediaType CONTENT_TYPE = MediaType.valueOf(RefusalAnswer.CONTENT_TYPE).withCharset("UTF-8");

    private final Refusals refusals;
    private volatile EntityWriter writer;

    RefusalMapper(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public Response toResponse(RateLimitExceededException refusal) {
        return refusals.response(refusal);
    }

    @Override
    public Response toResponse(RateLimitExceededException refusal, ServerRequestContext context) {
        ResteasyReactiveRequestContext request = (ResteasyReactiveRequestContext) context;
        if (writer == null) {
            writer = writer(request.getDeployment().getSerialisers());
        }
        request.setEntityWriter(writer);
        return toResponse(refusal);
    }

    private static EntityWriter writer(ServerSerialisers serialisers) {
        return new FixedEntityWriterArray(serialisers.findWriters(null, String.class, CONTENT_TYPE, RuntimeType.SERVER)
                .toArray(MessageBodyWriter[]::new), serialisers);
    }
}
