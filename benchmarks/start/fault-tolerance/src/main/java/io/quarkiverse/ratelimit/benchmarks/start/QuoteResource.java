package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.smallrye.faulttolerance.api.RateLimit;

/** The same resource with a limit of SmallRye Fault Tolerance. */
@Path("/quotes")
public class QuoteResource {

    @GET
    @RateLimit(value = 1_000_000)
    public String quote() {
        return "Festina lente.";
    }
}
