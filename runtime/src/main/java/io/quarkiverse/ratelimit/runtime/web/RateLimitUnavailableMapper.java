package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitUnavailableException;

/** Answers a call that is refused as Redis is away with 503, unless the application maps the exception itself. */
@ApplicationScoped
public class RateLimitUnavailableMapper implements ExceptionMapper<RateLimitUnavailableException> {

    private final RefusalAnswer answer;

    RateLimitUnavailableMapper(RefusalAnswer answer) {
        this.answer = answer;
    }

    @Override
    public Response toResponse(RateLimitUnavailableException refusal) {
        return answer.to(refusal, 503, "temporary-reduced-capacity", "Service Unavailable");
    }
}
