package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Maps a denied call of RESTEasy Classic to status 429, unless the application maps the exception itself. */
@ApplicationScoped
@Priority(Priorities.USER + 1)
public class RateLimitExceededMapper implements ExceptionMapper<RateLimitExceededException> {

    @Inject
    ExceptionResponses denials;

    @Override
    public Response toResponse(RateLimitExceededException denial) {
        return denials.response(denial, Work.UNKNOWN);
    }
}
