package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;

/**
 * Turns denials that reach a resource, of requests and of bean calls, into responses. The first denial creates it, as
 * RESTEasy Classic creates the mappers before the configuration can be read.
 */
@ApplicationScoped
public class ExceptionResponses {

    private final ThrownDenials denials;
    private final CurrentVertxRequest current;

    ExceptionResponses(ThrownDenials denials, CurrentVertxRequest current) {
        this.denials = denials;
        this.current = current;
    }

    /** @param work of the request that the denial has failed */
    public Response response(RateLimitException denial, Work work) {
        DenialResponse content = denials.response(denial, current.getCurrent(), work);
        Response.ResponseBuilder response = Response.status(content.status())
                .type(DenialResponse.CONTENT_TYPE)
                .header(HttpHeaders.CACHE_CONTROL, DenialResponse.CACHING)
                .entity(content.body());
        if (content.retryAfter() != null) {
            response.header(HttpHeaders.RETRY_AFTER, content.retryAfter());
        }
        return response.build();
    }

    /** Maps a denied call of RESTEasy Classic to status 429 or 503, unless the application maps the exception itself. */
    @ApplicationScoped
    @Priority(Priorities.USER + 1)
    public static class ClassicMapper implements ExceptionMapper<RateLimitException> {

        @Inject
        ExceptionResponses denials;

        @Override
        public Response toResponse(RateLimitException denial) {
            return denials.response(denial, Work.UNKNOWN);
        }
    }
}
