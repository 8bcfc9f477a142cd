package org.acme.parallel;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestForm;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimited;

/** Imports rows of a table. */
@Path("/imports")
public class ImportResource {

    // tag::imports[]
    @POST
    @RateLimited("imports")
    public String load(@RateLimitCost @RestForm Integer rows) {
        return rows + " rows";
    }
    // end::imports[]
}
