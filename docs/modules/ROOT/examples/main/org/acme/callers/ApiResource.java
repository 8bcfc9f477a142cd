package org.acme.callers;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** One endpoint for each key part. */
@Path("/api")
public class ApiResource {

    // tag::header[]
    @GET
    @Path("/orders")
    @RateLimited("per-api-key")
    public String orders() {
        return "no orders";
    }
    // end::header[]

    @GET
    @Path("/everybody")
    @RateLimited("everybody")
    public String everybody() {
        return "for everybody";
    }

    // tag::method[]
    @GET
    @Path("/parcels")
    @RateLimited("per-method")
    public String parcels() {
        return "no parcels";
    }

    @GET
    @Path("/letters")
    @RateLimited("per-method")
    public String letters() {
        return "no letters";
    }
    // end::method[]

    @GET
    @Path("/tenants/{tenant}/invoices")
    @RateLimited("per-tenant")
    public String invoices() {
        return "no invoices";
    }

    @GET
    @Path("/searches")
    @RateLimited("per-visitor")
    public String searches() {
        return "nothing found";
    }

    @GET
    @Path("/subscriptions")
    @RateLimited("per-subscription")
    public String subscriptions() {
        return "no subscriptions";
    }

    @GET
    @Path("/reports")
    @RateLimited("per-company")
    public String reports() {
        return "no reports";
    }

    @GET
    @Path("/keyed")
    @RateLimited("keyed")
    public String keyed() {
        return "for those with a key";
    }

    @GET
    @Path("/optional")
    @RateLimited("optional")
    public String optional() {
        return "limited only with a key";
    }
}
