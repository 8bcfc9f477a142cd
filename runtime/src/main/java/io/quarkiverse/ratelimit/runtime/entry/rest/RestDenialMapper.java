package io.quarkiverse.ratelimit.runtime.entry.rest;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
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
import io.quarkiverse.ratelimit.runtime.entry.http.DenialMapper;

/**
 * Maps denials of Quarkus REST. It looks up the writer of the body once; Quarkus REST looks it up for each response that an
 * exception is mapped to, which makes denials expensive when an attacker causes many of them.
 */
@ApplicationScoped
@Priority(DenialMapper.PRIORITY)
public class RestDenialMapper extends DenialMapper implements ResteasyReactiveExceptionMapper<RateLimitException> {

    private static final MediaType MEDIA_TYPE = MediaType.valueOf(CONTENT_TYPE).withCharset("UTF-8");

    private volatile EntityWriter writer;

    @Override
    public Response toResponse(RateLimitException denial, ServerRequestContext context) {
        ResteasyReactiveRequestContext request = (ResteasyReactiveRequestContext) context;
        if (writer == null) {
            ServerSerialisers known = request.getDeployment().getSerialisers();
            writer = new FixedEntityWriterArray(known.findWriters(null, String.class, MEDIA_TYPE, RuntimeType.SERVER)
                    .toArray(MessageBodyWriter[]::new), known);
        }
        request.setEntityWriter(writer);
        return toResponse(denial);
    }
}
