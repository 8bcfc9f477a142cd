package org.acme;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

@Path("/quotes")
public class QuoteResource {

    @GET
    @RateLimited("quotes")
    public String quote() {
        return "Festina lente.\n";
    }
}
