package org.acme.jobs;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Waits for permits, as nobody waits for it. */
@ApplicationScoped
public class Thumbnails {

    @Inject
    @RateLimitPolicy("thumbnails")
    RateLimiter limiter;

    // tag::wait[]
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    public Multi<String> drawAll(Multi<String> pictures) {
        return pictures.onItem().transformToUniAndConcatenate(picture -> limiter.acquire("all", 1, PATIENCE)
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
