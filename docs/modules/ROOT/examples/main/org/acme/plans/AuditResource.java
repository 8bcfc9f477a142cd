package org.acme.plans;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Does not limit auditors, and not the clients with some API keys. */
@Path("/audit")
public class AuditResource {
    @GET
    @RateLimited("audit")
    public String audit() {
        return "nothing to complain of";
    }

    @GET
    @Path("feed")
    @RateLimited("feed")
    public String feed() {
        return "all is well";
    }
}
