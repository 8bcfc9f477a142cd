package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Answers a refused call with 429, unless the application maps the exception itself. */
@ApplicationScoped
public class RateLimitExceededMapper implements ExceptionMapper<RateLimitExceededException> {

    private final Refusals refusals;

    RateLimitExceededMapper(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public Response toResponse(RateLimitExceededException refusal) {
        return refusals.response(refusal);
    }
}
