package io.quarkiverse.ratelimit.runtime.entry.http;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;

/**
 * Maps denials that reach a resource, of requests and of bean calls, to status 429 or 503, unless the application maps the
 * exception itself. Its beans are created at the first denial, as RESTEasy Classic creates mappers before the configuration
 * can be read.
 */
@ApplicationScoped
@Priority(DenialMapper.PRIORITY)
public class DenialMapper implements ExceptionMapper<RateLimitException> {

    /** After any mapper of the application. */
    public static final int PRIORITY = Priorities.USER + 1;

    protected static final String CONTENT_TYPE = DenialResponse.CONTENT_TYPE;

    @Inject
    protected Instance<LimitedRequest.Shared> shared;

    @Inject
    protected CurrentVertxRequest current;

    @Inject
    protected Instance<Work.Current> work;

    @Override
    public Response toResponse(RateLimitException denial) {
        DenialResponse content = LimitedRequest.of(current.getCurrent(), work.get().get(), shared.get()).response(denial);
        return Response.status(content.denial().reason().httpStatus)
                .type(CONTENT_TYPE)
                .header(HttpHeaders.CACHE_CONTROL, DenialResponse.CACHING)
                // no header where waiting does not help
                .header(HttpHeaders.RETRY_AFTER, content.denial().retryAfter())
                .entity(content.body())
                .build();
    }
}
