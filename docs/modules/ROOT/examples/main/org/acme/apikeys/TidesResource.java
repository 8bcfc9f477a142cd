package org.acme.apikeys;

import java.util.Map;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;

// tag::tides[]
@Path("/tides")
public class TidesResource {

    @Inject
    Customers customers;

    @Inject
    @RateLimitPolicy("tides")
    RateLimiter limiter;

    @GET
    @RateLimited("tides")
    public Response today(@HeaderParam("X-Api-Key") String apiKey) {
        return customers.nameOf(apiKey) == null ? Response.status(401).build() : Response.ok("high at noon").build();
    }

    @GET
    @Path("/limit")
    public Map<String, Long> limit() {
        RateLimitDecision decision = limiter.forCaller().peek();
        return Map.of("limit", decision.permits(), "remaining", decision.remaining());
    }
}
// end::tides[]
