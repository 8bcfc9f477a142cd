package org.acme.shadow;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Has a policy in shadow mode. */
@Path("/trial")
@RateLimited("trial")
public class TrialResource {
    @GET
    public String trial() {
        return "allowed";
    }
}
