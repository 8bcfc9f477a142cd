package io.quarkiverse.ratelimit.test.health;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

@Path("/quotes")
public class QuoteResource {

    @GET
    @RateLimited("quotes")
    public String quote() {
        return "ok";
    }
}
