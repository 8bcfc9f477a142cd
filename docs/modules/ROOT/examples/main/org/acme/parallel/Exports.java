package org.acme.parallel;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.smallrye.mutiny.Uni;

/** Exports the data of one customer at a time. */
@ApplicationScoped
public class Exports {

    @Inject
    @RateLimitPolicy("exports-at-once")
    RateLimiter limiter;

    // tag::reserve[]
    public Uni<String> export(String customer, Uni<String> work) {
        return limiter.reserve(customer, 1).chain(held -> held.decision().allowed()
                ? work.onTermination().call(held::cancel)
                : Uni.createFrom().failure(new RateLimitExceededException(held.decision())));
    }
    // end::reserve[]
}
