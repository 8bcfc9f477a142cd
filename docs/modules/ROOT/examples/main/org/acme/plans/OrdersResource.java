package org.acme.plans;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** The plan of the caller determines the limit. */
// tag::orders[]
@Path("/orders")
public class OrdersResource {
    @GET
    @RateLimited("orders")
    public String byUser() {
        return "3 orders";
    }

    @GET
    @Path("/tenant")
    @RateLimited("tenant-orders")
    public String byTenant() {
        return "17 orders";
    }
}
// end::orders[]
