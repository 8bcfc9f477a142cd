package org.acme.operators;

import java.time.Duration;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiters;
import io.smallrye.mutiny.Uni;

/** Changes limits while the application runs. */
@ApplicationScoped
public class Operator {

    // tag::operator[]
    @Inject
    RateLimiters limiters;

    public Uni<Void> moreForEverybody() {
        return limiters.override("partners", Limit.tokenBucket(20).refill(20, Duration.ofHours(1)), Duration.ofDays(1));
    }

    public Uni<Void> moreFor(String partner) {
        return limiters.override("partners", partner, Limit.tokenBucket(100).refill(100, Duration.ofHours(1)),
                Duration.ofDays(1));
    }

    public Uni<Void> asConfigured() {
        return limiters.removeOverride("partners");
    }

    public Map<String, Limit> inForce() {
        return limiters.limits("partners");
    }
    // end::operator[]
}
