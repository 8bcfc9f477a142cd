package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Answers a refused call with 429, unless the application maps the exception itself. */
@ApplicationScoped
public class RateLimitExceededMapper implements ExceptionMapper<RateLimitExceededException> {

    private final RefusalAnswer answer;

    RateLimitExceededMapper(RefusalAnswer answer) {
        this.answer = answer;
    }

    @Override
    public Response toResponse(RateLimitExceededException refusal) {
        return answer.to(refusal, 429, "quota-exceeded", "Too Many Requests");
    }
}
