package org.acme.operators;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Is limited by what is in force. */
@Path("/partners")
public class PartnerResource {
    @GET
    @RateLimited("partners")
    public String partner() {
        return "welcome";
    }
}
