package org.acme.responses;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.arc.profile.IfBuildProfile;

/** Maps denials, only in the profile {@code custom-responses}. */
@IfBuildProfile("custom-responses")
// tag::mapper[]
@Provider
public class DenialMapper implements ExceptionMapper<RateLimitExceededException> {

    @Override
    public Response toResponse(RateLimitExceededException denial) {
        RateLimitDecision decision = denial.decision();
        long seconds = decision.retryAfterSeconds();
        Response.ResponseBuilder response = Response.status(429).entity("Come back in " + seconds + " s.");
        return decision.neverAllowed() ? response.build() : response.header("Retry-After", seconds).build();
    }
}
// end::mapper[]
