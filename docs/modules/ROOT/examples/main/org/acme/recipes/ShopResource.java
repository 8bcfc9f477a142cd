package org.acme.recipes;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;

/** Has a limit that jobs reach earlier than people, and an answer that is cheaper beyond a limit. */
@Path("/recipes")
public class ShopResource {

    @Inject
    RateLimiters limiters;

    @GET
    @Path("stock")
    @RateLimited("stock-levels")
    public String stock() {
        return "12 in stock";
    }

    // tag::degrade[]
    @GET
    @Path("recommendations")
    public String recommendations() {
        return limiters.get("recommendations").forCaller().tryAcquire().allowed() ? "made for you" : "bestsellers";
    }
    // end::degrade[]
}
