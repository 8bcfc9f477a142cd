package org.acme.migrate;

import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;

/** What was limited by a bucket of Bucket4j. */
@Path("/searches")
public class Searches {

    // tag::configured[]
    @GET
    @RateLimited("searches")
    public String search() {
        return "found";
    }
    // end::configured[]

    // tag::made[]
    @Inject
    RateLimiters limiters;

    public boolean mayExport(String user) {
        Limit limit = Limit.tokenBucket(20).refill(100, Duration.ofMinutes(1));
        return limiters.create("search-exports", limit).forKey(user).tryAcquire(5).allowed();
    }
    // end::made[]
}
