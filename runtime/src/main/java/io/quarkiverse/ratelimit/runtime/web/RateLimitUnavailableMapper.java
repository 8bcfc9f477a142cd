package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitUnavailableException;

/**
 * Maps a call of RESTEasy Classic that is denied as Redis is unavailable to status 503, unless the application maps the
 * exception itself.
 */
@ApplicationScoped
@Priority(Priorities.USER + 1)
public class RateLimitUnavailableMapper implements ExceptionMapper<RateLimitUnavailableException> {

    @Inject
    ExceptionResponses denials;

    @Override
    public Response toResponse(RateLimitUnavailableException denial) {
        return denials.response(denial, Work.UNKNOWN);
    }
}
