package org.acme.devices;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;

/** The devices of a customer share its API key. */
@Path("/devices")
public class DevicesResource {

    @Inject
    @RateLimitPolicy("devices")
    RateLimiter devices;

    @GET
    @RateLimited("devices")
    public String measurements() {
        return "no measurements";
    }

    @GET
    @Path("/at-once")
    @RateLimited("devices-at-once")
    public String measurementsAtOnce() {
        return "no measurements";
    }

    @GET
    @Path("/route")
    public String measurementsOfRoute() {
        return "no measurements";
    }

    @GET
    @Path("/code")
    public String measurementsByCode() {
        devices.forKey("customer").acquireOrThrow();
        return "no measurements";
    }
}
