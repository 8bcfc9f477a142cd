package org.acme.outgoing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Uni;

/** Requests exchange rates from a bank, no more often than its contract allows. */
// tag::client[]
@Path("/rates")
@RegisterRestClient(configKey = "bank")
@RateLimited("bank")
public interface Rates {

    @GET
    @Path("{currency}")
    String of(@PathParam("currency") String currency);

    @GET
    @Path("{currency}/history")
    @RateLimited(value = "bank", cost = 2)
    Uni<String> history(@PathParam("currency") String currency);
}
// end::client[]
