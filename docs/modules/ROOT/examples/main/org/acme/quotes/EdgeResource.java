package org.acme.quotes;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** Edge cases of the reference. */
@Path("/edge")
public class EdgeResource {

    @GET
    @Path("/fails")
    @RateLimited("small")
    public String fail() {
        throw new IllegalStateException("expected in a test");
    }

    @GET
    @Path("/expensive")
    @RateLimited(value = "small", cost = 3)
    public String expensive() {
        return "never";
    }
}
