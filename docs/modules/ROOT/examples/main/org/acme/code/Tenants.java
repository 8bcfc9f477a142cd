package org.acme.code;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;

/** Creates a limiter that is not configured. */
@ApplicationScoped
public class Tenants {

    // tag::of[]
    private final RateLimiter limiter;

    Tenants(RateLimiters limiters) {
        limiter = limiters.create("tenants", Limit.tokenBucket(10).refill(1, Duration.ofMinutes(1)));
    }

    public boolean mayImport(String tenant, String table) {
        return limiter.forKey(tenant, table).tryAcquire(5).allowed();
    }
    // end::of[]
}
