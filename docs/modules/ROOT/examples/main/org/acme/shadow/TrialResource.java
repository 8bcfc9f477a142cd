package org.acme.shadow;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Is limited by a policy that never refuses. */
@Path("/trial")
@RateLimited("trial")
public class TrialResource {
    @GET
    public String trial() {
        return "admitted";
    }
}
