package org.acme.code;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.smallrye.mutiny.Uni;

/** Makes a limiter that no configuration knows. */
@ApplicationScoped
public class Tenants {

    // tag::of[]
    private final RateLimiter limiter;

    Tenants(RateLimiters limiters) {
        limiter = limiters.of("tenants", Limit.tokenBucket(10).refill(1, Duration.ofMinutes(1)));
    }

    public Uni<Boolean> mayImport(String tenant, String table) {
        return limiter.acquire(CallerKey.of(tenant, table), 5).map(decision -> decision.allowed());
    }
    // end::of[]
}
