package org.acme.parallel;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;

/** Exports the data of one customer at a time. */
@ApplicationScoped
public class Exports {

    @Inject
    @RateLimitPolicy("exports-at-once")
    ReactiveRateLimiter limiter;

    // tag::reserve[]
    public Uni<String> export(String customer, Uni<String> work) {
        return limiter.forKey(customer).reserve(1).chain(reserved -> reserved.decision().allowed()
                ? work.onTermination().call(reserved::cancel)
                : Uni.createFrom().failure(RateLimitException.of(reserved.decision())));
    }
    // end::reserve[]
}
