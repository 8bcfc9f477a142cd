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
    @Path("limited-by-query")
    @NonBlocking
    @RateLimited("by-query")
    public String limitedByQuery() {
        return "hello";
    }

    @GET
    @Path("prefetched-100")
    @NonBlocking
    @RateLimited("prefetched-100")
    public String prefetched100() {
        return "hello";
    }

    @GET
    @Path("prefetched-5000")
    @NonBlocking
    @RateLimited("prefetched-5000")
    public String prefetched5000() {
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

    /** Routes limit each path. */
    @GET
    @Path("herd/{jitter}")
    @NonBlocking
    public String herd() {
        return "hello";
    }
}
