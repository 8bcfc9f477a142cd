package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.reactive.messaging.Incoming;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimited;

/** A consumer of batches. */
@ApplicationScoped
public class Pallets {

    static final List<List<String>> UNLOADED = new CopyOnWriteArrayList<>();

    private final Customs customs;

    Pallets(Customs customs) {
        this.customs = customs;
    }

    @Incoming("pallets")
    @RateLimited("batches")
    void unload(List<String> parcels) {
        customs.declare(parcels.size());
        UNLOADED.add(parcels);
    }

    /** Limits the messages of batches. */
    @ApplicationScoped
    public static class Customs {

        @RateLimited("batched-messages")
        void declare(@RateLimitCost int parcels) {
            // only counts
        }
    }
}
