package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.Map;

import io.smallrye.mutiny.Uni;

/** Keeps texts for all instances, each for a time of its own. */
public interface OverrideStore {

    /** Has nothing, and can keep nothing. */
    OverrideStore NONE = new OverrideStore() {

        @Override
        public Uni<Void> put(String name, String text, Duration ttl) {
            return Uni.createFrom().failure(new IllegalStateException("Rate limits are off, or Redis is not configured"));
        }

        @Override
        public Uni<Void> remove(String name) {
            return Uni.createFrom().voidItem();
        }

        @Override
        public Uni<Versioned> changedSince(String known) {
            return Uni.createFrom().nullItem();
        }
    };

    /** Keeps a text under a name, in place of the one before. */
    Uni<Void> put(String name, String text, Duration ttl);

    Uni<Void> remove(String name);

    /**
     * All texts by their names.
     *
     * @param known the version that the caller has seen last
     * @return {@code null} when that is the newest
     */
    Uni<Versioned> changedSince(String known);

    /** What there was at a version. */
    record Versioned(String version, Map<String, Kept> texts) {
    }

    /** @param ttl how long it is still kept */
    record Kept(String text, Duration ttl) {
    }
}
