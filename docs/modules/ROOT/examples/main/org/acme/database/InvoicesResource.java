package org.acme.database;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** A database contains the limits of tenants. */
@Path("/invoices")
public class InvoicesResource {
    @GET
    @RateLimited("invoices")
    public String invoices() {
        return "17 invoices";
    }
}
