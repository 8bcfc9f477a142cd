package org.acme.outgoing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.ratelimit.RateLimited;

// tag::client[]
@Path("/ledger")
@RegisterRestClient(configKey = "bank")
@RateLimited("ledger")
public interface Ledger {

    @GET
    String entries();
}
// end::client[]
