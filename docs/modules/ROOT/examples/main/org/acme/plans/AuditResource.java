package org.acme.plans;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Does not limit auditors. */
@Path("/audit")
public class AuditResource {
    @GET
    @RateLimited("audit")
    public String audit() {
        return "nothing to complain of";
    }
}
