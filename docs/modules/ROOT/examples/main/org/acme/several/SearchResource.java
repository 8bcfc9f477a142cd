package org.acme.several;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Has several limits in one policy, and several policies on one method. */
@Path("/search")
public class SearchResource {

    // tag::limits[]
    @GET
    @RateLimited("search")
    public String search() {
        return "nothing found";
    }
    // end::limits[]

    // tag::policies[]
    @GET
    @Path("/export")
    @RateLimited("per-caller")
    @RateLimited(value = "exports", cost = 5)
    public String export() {
        return "nothing to export";
    }
    // end::policies[]

    @GET
    @Path("/titles")
    @RateLimited("per-caller")
    public String titles() {
        return "no titles";
    }
}
