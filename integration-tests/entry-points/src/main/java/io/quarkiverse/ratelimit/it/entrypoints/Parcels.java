package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.reactive.messaging.Incoming;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Uni;

/** Consumers that a limit slows down. */
@ApplicationScoped
public class Parcels {

    static final List<String> DELIVERED = new CopyOnWriteArrayList<>();
    static final List<String> CARRIED = new CopyOnWriteArrayList<>();
    static final List<String> LOGGED = new CopyOnWriteArrayList<>();
    static final List<Long> TIMES = new CopyOnWriteArrayList<>();

    @Incoming("parcels")
    @RateLimited("paced")
    Uni<Void> deliver(String parcel) {
        DELIVERED.add(parcel);
        return Uni.createFrom().voidItem();
    }

    @Incoming("freight")
    @RateLimited("paced")
    void carry(String parcel) {
        CARRIED.add(parcel);
    }

    @Incoming("orders")
    @RateLimited("paced")
    void log(String order) {
        TIMES.add(System.nanoTime());
        LOGGED.add(order);
    }
}
