package org.acme.migrate;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import io.quarkiverse.ratelimit.RateLimited;

/** What was limited by quarkus-bucket4j. */
// tag::bucket4j[]
@Path("/catalogue")
public class CatalogueResource {
    @GET
    @RateLimited("catalogue")
    public String all() {
        return "all products";
    }

    @GET
    @Path("/{product}")
    @RateLimited("catalogue")
    public String one(@PathParam("product") String product) {
        return product;
    }
}
// end::bucket4j[]
