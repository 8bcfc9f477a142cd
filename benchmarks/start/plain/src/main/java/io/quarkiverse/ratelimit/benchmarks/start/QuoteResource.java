package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** A resource without limits. */
@Path("/quotes")
public class QuoteResource {

    @GET
    public String quote() {
        return "Festina lente.";
    }
}
