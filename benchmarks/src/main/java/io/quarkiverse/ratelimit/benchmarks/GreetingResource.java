package io.quarkiverse.ratelimit.benchmarks;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.common.annotation.NonBlocking;

/** The same endpoint without and with limits. */
@Path("/")
public class GreetingResource {

    @GET
    @Path("unlimited")
    @NonBlocking
    public String unlimited() {
        return "hello";
    }

    @GET
    @Path("limited")
    @NonBlocking
    @RateLimited("plenty")
    public String limited() {
        return "hello";
    }

    @GET
    @Path("prefetched")
    @NonBlocking
    @RateLimited("prefetched")
    public String prefetched() {
        return "hello";
    }

    @GET
    @Path("denied")
    @NonBlocking
    @RateLimited("scarce")
    public String denied() {
        return "hello";
    }

    @GET
    @Path("denied-by-redis")
    @NonBlocking
    @RateLimited("uncached")
    public String deniedByRedis() {
        return "hello";
    }
}
