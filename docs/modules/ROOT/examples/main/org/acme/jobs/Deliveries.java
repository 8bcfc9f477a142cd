package org.acme.jobs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.reactive.messaging.Incoming;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;

/** Delivers messages no faster than their receivers allow. */
@ApplicationScoped
public class Deliveries {

    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final ReactiveRateLimiter limiter;

    Deliveries(@RateLimitPolicy("letters") ReactiveRateLimiter limiter) {
        this.limiter = limiter;
    }

    // tag::delayed[]
    @Incoming("parcels")
    @RateLimited("parcels")
    public Uni<Void> deliver(String parcel) {
        return handOver(parcel);
    }
    // end::delayed[]

    // tag::per-key[]
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Incoming("letters")
    public Uni<Void> post(Letter letter) {
        return limiter.forKey(letter.receiver()).tryAcquire(1, PATIENCE)
                .invoke(decision -> {
                    if (!decision.allowed()) {
                        throw RateLimitException.of(decision);
                    }
                })
                .chain(() -> handOver(letter.text()));
    }
    // end::per-key[]

    @Incoming("adverts")
    @RateLimited("adverts")
    public Uni<Void> advertise(String advert) {
        return handOver(advert);
    }

    private Uni<Void> handOver(String message) {
        return Uni.createFrom().voidItem().invoke(() -> delivered.add(message));
    }

    List<String> delivered() {
        return delivered;
    }

    /** A letter to one person. */
    public record Letter(String receiver, String text) {
    }
}
