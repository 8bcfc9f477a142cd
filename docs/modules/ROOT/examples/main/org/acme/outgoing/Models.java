package org.acme.outgoing;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.annotation.RegisterProvider;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.ratelimit.RateLimited;

/** Calls a service whose responses are read by {@link PausesOfServices}. */
// tag::client[]
@Path("/models")
@RegisterRestClient(configKey = "bank")
@RegisterProvider(PausesOfServices.class)
@RateLimited("models")
public interface Models {

    @GET
    String list();
}
// end::client[]
