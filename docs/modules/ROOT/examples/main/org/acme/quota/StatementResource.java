package org.acme.quota;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Customers have a monthly quota of statements. */
@Path("/statements")
public class StatementResource {
    @GET
    @RateLimited("statements")
    public String statement() {
        return "You owe nothing.";
    }
}
