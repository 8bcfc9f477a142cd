package org.acme.operators;

import java.time.Duration;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;

/** Changes limits while the application runs. */
@ApplicationScoped
public class Operator {

    // tag::operator[]
    @Inject
    RateLimitAdmin admin;

    public void moreForEverybody() {
        admin.override("partners", Limit.tokenBucket(20).refill(20, Duration.ofHours(1)), Duration.ofDays(1));
    }

    public void moreFor(String partner) {
        admin.override("partners", partner, Limit.tokenBucket(100).refill(100, Duration.ofHours(1)),
                Duration.ofDays(1));
    }

    public void asConfigured() {
        admin.removeOverride("partners");
    }

    public Map<String, Limit> inForce() {
        return admin.limits("partners");
    }
    // end::operator[]
}
