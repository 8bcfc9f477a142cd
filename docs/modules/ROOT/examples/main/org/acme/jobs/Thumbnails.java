package org.acme.jobs;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Waits for permits: no user waits for the result. */
@ApplicationScoped
public class Thumbnails {

    @Inject
    @RateLimitPolicy("thumbnails")
    ReactiveRateLimiter limiter;

    // tag::wait[]
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    public Multi<String> drawAll(Multi<String> pictures) {
        return pictures.onItem()
                .transformToUniAndConcatenate(picture -> limiter.forKey("all").tryAcquire(1, PATIENCE)
                        .chain(decision -> decision.allowed() ? draw(picture) : putOff(picture, decision)));
    }
    // end::wait[]

    private static Uni<String> draw(String picture) {
        return Uni.createFrom().item("small " + picture);
    }

    private static Uni<String> putOff(String picture, RateLimitDecision decision) {
        return Uni.createFrom().item(picture + " after " + decision.retryAfter());
    }
}
