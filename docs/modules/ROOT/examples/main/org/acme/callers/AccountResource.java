package org.acme.callers;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;

/** Counts per authenticated caller. */
// tag::account[]
@Path("/account")
@RateLimited("account")
public class AccountResource {
    @GET
    public String balance() {
        return "42";
    }

    @GET
    @Path("/terms")
    @Unlimited
    public String terms() {
        return "None.";
    }
}
// end::account[]
