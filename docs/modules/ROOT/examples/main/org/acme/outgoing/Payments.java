package org.acme.outgoing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.ratelimit.RateLimited;

/** Calls a bank at the pace of its quota, and not at all while it asks for a pause. */
@Path("/payments")
@RegisterRestClient(configKey = "bank")
@RateLimited("payments")
public interface Payments {

    @GET
    String latest();
}
