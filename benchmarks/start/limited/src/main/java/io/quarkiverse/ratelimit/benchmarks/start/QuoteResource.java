package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** The same resource with a limit of this extension. */
@Path("/quotes")
public class QuoteResource {

    @GET
    @RateLimited("a")
    public String quote() {
        return "Festina lente.";
    }
}
