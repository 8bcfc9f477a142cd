package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitException;

/** Maps a denied call of RESTEasy Classic to status 429 or 503, unless the application maps the exception itself. */
@ApplicationScoped
@Priority(Priorities.USER + 1)
public class ClassicDenialMapper implements ExceptionMapper<RateLimitException> {

    @Inject
    ExceptionResponses denials;

    @Override
    public Response toResponse(RateLimitException denial) {
        return denials.response(denial, Work.UNKNOWN);
    }
}
