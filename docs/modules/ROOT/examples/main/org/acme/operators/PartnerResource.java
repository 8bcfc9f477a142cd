package org.acme.operators;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Its limit may be overridden. */
@Path("/partners")
public class PartnerResource {
    @GET
    @RateLimited("partners")
    public String partner() {
        return "welcome";
    }
}
