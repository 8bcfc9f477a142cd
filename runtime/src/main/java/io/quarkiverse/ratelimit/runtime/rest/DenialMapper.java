package io.quarkiverse.ratelimit.runtime.rest;

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

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.web.DenialResponse;
import io.quarkiverse.ratelimit.runtime.web.ExceptionResponses;
import io.quarkiverse.ratelimit.runtime.web.Work;

/**
 * Maps a denied call of Quarkus REST to status 429 or 503, unless the application maps the exception itself. It looks
 * up the writer of the body once; Quarkus REST looks it up for each response that an exception is mapped to.
 */
@ApplicationScoped
@Priority(Priorities.USER + 1)
public class DenialMapper implements ResteasyReactiveExceptionMapper<RateLimitException> {

    private static final MediaType CONTENT_TYPE = MediaType.valueOf(DenialResponse.CONTENT_TYPE).withCharset("UTF-8");

    private final ExceptionResponses denials;
    private volatile EntityWriter writer;

    DenialMapper(ExceptionResponses denials) {
        this.denials = denials;
    }

    @Override
    public Response toResponse(RateLimitException denial) {
        return denials.response(denial, Work.UNKNOWN);
    }

    @Override
    public Response toResponse(RateLimitException denial, ServerRequestContext context) {
        ResteasyReactiveRequestContext request = (ResteasyReactiveRequestContext) context;
        if (writer == null) {
            writer = writer(request.getDeployment().getSerialisers());
        }
        request.setEntityWriter(writer);
        return denials.response(denial, new RunningRequest(request));
    }

    private static EntityWriter writer(ServerSerialisers serialisers) {
        return new FixedEntityWriterArray(serialisers.findWriters(null, String.class, CONTENT_TYPE, RuntimeType.SERVER)
                .toArray(MessageBodyWriter[]::new), serialisers);
    }
}
