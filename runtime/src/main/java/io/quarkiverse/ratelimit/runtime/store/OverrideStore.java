package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.Map;

import io.smallrye.mutiny.Uni;

/** Stores overrides and blocks as texts for all instances, each with its own time to live. */
public interface OverrideStore {

    /** The text of a block that ends by itself because a called service asked for a pause. */
    String PAUSED = "paused";

    /** How many overrides and blocks the script stores in Redis. */
    int MAX_TEXTS = 10_000;

    /** How many pauses the script stores besides. Called services ask for them, so they take no room of operators. */
    int MAX_PAUSES = 1_000;

    /** Is empty and cannot store anything. */
    OverrideStore NONE = new LocalOverrides(() -> 0) {

        @Override
        void keep(String name, String text, Duration ttl) {
            throw new IllegalStateException("Rate limits are off, or Redis is not configured."
                    + " Set quarkus.rate-limit.enabled or quarkus.redis.hosts");
        }
    };

    /** Stores a text under a name, in place of the previous one. Fails when there are {@link #MAX_TEXTS} already. */
    Uni<Void> put(String name, String text, Duration ttl);

    /**
     * Stores {@link #PAUSED} under a name, unless the previous text lasts longer. Fails when there are {@link #MAX_PAUSES}
     * already. Takes the same time however many texts there are.
     *
     * @return how long the previous one would have lasted; zero for none
     */
    Uni<Duration> pause(String name, Duration ttl);

    Uni<Void> remove(String name);

    /**
     * Reads all texts by their names.
     *
     * @param known the last version that was read; versions change when texts are changed or expire
     * @return {@code null} when this is the newest version
     */
    Uni<Versioned> changedSince(String known);

    /** All texts at one version. */
    record Versioned(String version, Map<String, Kept> texts) {
    }

    /** @param ttl the time until the text expires */
    record Kept(String text, Duration ttl) {
    }
}
