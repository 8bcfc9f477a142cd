package io.quarkiverse.ratelimit.test.admin;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;

/** Uses limits, and moves their clock, for a test outside of the application. */
@Path("/calls")
public class Calls {

    @Inject
    RateLimiters limiters;

    @Inject
    LimiterClock clock;

    @POST
    @Path("{policy}/{cost}")
    public String acquire(String policy, long cost, @FormParam("key") List<String> key) {
        RateLimitDecision decision = limiters.get(policy).forKey(key.toArray(String[]::new)).tryAcquire(cost);
        return decision.allowed() + " " + decision.key();
    }

    @POST
    @Path("clock/{seconds}")
    public void advance(long seconds) {
        clock.advance(Duration.ofSeconds(seconds));
    }
}
