package io.quarkiverse.ratelimit.it;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** What callers of several instances share. */
@Path("/limited")
public class LimitedResource {

    @GET
    @Path("/thousand")
    @RateLimited("thousand")
    public String thousand() {
        return "one of a thousand";
    }

    @GET
    @Path("/crowd")
    @RateLimited("crowd")
    public String crowd() {
        return "one of many";
    }

    @GET
    @Path("/three-an-hour")
    @RateLimited("three-an-hour")
    public String threeAnHour() {
        return "one of three";
    }

    /** What time it is, by the clock that no limit may depend on. */
    @GET
    @Path("/time")
    @RateLimited("hundred-per-ten-seconds")
    public long time() {
        return System.currentTimeMillis();
    }
}
