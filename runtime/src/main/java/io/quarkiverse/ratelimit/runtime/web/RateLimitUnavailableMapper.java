package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitUnavailableException;

/** Answers a call that is refused as Redis is away with 503, unless the application maps the exception itself. */
@ApplicationScoped
public class RateLimitUnavailableMapper implements ExceptionMapper<RateLimitUnavailableException> {

    private final Refusals refusals;

    RateLimitUnavailableMapper(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public Response toResponse(RateLimitUnavailableException refusal) {
        return refusals.response(refusal);
    }
}
