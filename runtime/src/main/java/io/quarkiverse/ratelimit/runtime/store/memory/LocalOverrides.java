package io.quarkiverse.ratelimit.runtime.store.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.smallrye.mutiny.Uni;

/** Keeps overrides and blocks in the memory of this instance, until they expire or the application stops. */
public class LocalOverrides implements OverrideStore {

    private final LongSupplier clock;
    private final Map<String, Entry> overrides = new HashMap<>();
    private long version;

    /** @param clock microseconds */
    LocalOverrides(LongSupplier clock) {
        this.clock = clock;
    }

    /** Returns an empty store that cannot store anything. */
    public static OverrideStore none() {
        return new LocalOverrides(() -> 0) {

            @Override
            void keep(String name, String text, Duration ttl) {
                throw new IllegalStateException("Rate limits are off, or Redis is not configured."
                        + " Set quarkus.rate-limit.enabled or quarkus.redis.hosts");
            }
        };
    }

    @Override
    public Uni<Void> put(String name, String text, Duration ttl) {
        return PlainUni.item(() -> change(() -> keep(name, text, ttl)));
    }

    void keep(String name, String text, Duration ttl) {
        if (overrides.size() >= MAX_TEXTS) {
            removeExpired();
        }
        if (overrides.size() >= MAX_TEXTS && !overrides.containsKey(name)) {
            throw new IllegalStateException(
                    "There are " + MAX_TEXTS + " overrides and blocks already, remove some first");
        }
        overrides.put(name, new Entry(text, clock.getAsLong() + LimitUsage.micros(ttl)));
    }

    /** The only instance keeps its pauses itself. */
    @Override
    public Uni<Duration> pause(String policy, String name, Duration ttl) {
        return PlainUni.item(() -> Duration.ZERO);
    }

    @Override
    public Uni<Boolean> endPause(String policy, String name) {
        return PlainUni.item(() -> false);
    }

    @Override
    public Uni<PauseChanges> pausesSince(String known, long time) {
        return PlainUni.item(() -> isSet(time) ? new PauseChanges("", clock.getAsLong(), false, List.of()) : null);
    }

    @Override
    public Uni<Void> remove(String name) {
        return PlainUni.item(() -> change(() -> overrides.remove(name)));
    }

    @Override
    public Uni<Versioned> changedSince(String known, long time) {
        return PlainUni.item(() -> read(known, time));
    }

    void clear() {
        change(overrides::clear);
    }

    private synchronized Void change(Runnable change) {
        change.run();
        version++;
        return null;
    }

    private synchronized Versioned read(String known, long time) {
        removeExpired();
        if (version == 0 || Long.toString(version).equals(known) && !isSet(time)) {
            return null;
        }
        long now = clock.getAsLong();
        Map<String, Kept> texts = new HashMap<>();
        overrides.forEach((name, override) -> texts.put(name,
                new Kept(override.text, LimitUsage.micros(override.expiresAt - now))));
        return new Versioned(Long.toString(version), texts);
    }

    /** Returns whether the clock has been set since it was read last. */
    private boolean isSet(long time) {
        return Math.abs(clock.getAsLong() - time) >= MAX_DIFFERENCE;
    }

    private void removeExpired() {
        long now = clock.getAsLong();
        if (overrides.values().removeIf(override -> override.expiresAt <= now)) {
            version++;
        }
    }

    /** @param expiresAt microseconds */
    private record Entry(String text, long expiresAt) {
    }
}
