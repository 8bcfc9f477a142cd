package org.acme.answers;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.arc.profile.IfBuildProfile;

/** Answers every refusal of the application, in the tests that ask for it. */
@IfBuildProfile("own-answers")
// tag::mapper[]
@Provider
public class RefusalMapper implements ExceptionMapper<RateLimitExceededException> {

    @Override
    public Response toResponse(RateLimitExceededException refusal) {
        RateLimitDecision decision = refusal.decision();
        long seconds = decision.retryAfterSeconds();
        Response.ResponseBuilder answer = Response.status(429).entity("Come back in " + seconds + " s.");
        return decision.neverAllowed() ? answer.build() : answer.header("Retry-After", seconds).build();
    }
}
// end::mapper[]
