package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.smallrye.mutiny.Uni;

/** Keeps overrides and blocks in the memory of this instance, until they expire or the application stops. */
class LocalOverrides implements OverrideStore {

    private final LongSupplier clock;
    private final Map<String, Entry> overrides = new HashMap<>();
    private long version;

    /** @param clock microseconds */
    LocalOverrides(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public Uni<Void> put(String name, String text, Duration ttl) {
        return PlainUni.item(() -> change(() -> keep(name, text, ttl)));
    }

    void keep(String name, String text, Duration ttl) {
        boolean isPause = text.equals(PAUSED);
        int most = isPause ? MAX_PAUSES : MAX_TEXTS;
        if (overrides.size() >= most) {
            removeExpired();
        }
        if (overrides.size() >= most && overrides.entrySet().stream().filter(other -> !other.getKey().equals(name)
                && other.getValue().isPause() == isPause).count() >= most) {
            throw new IllegalStateException("There are " + most + (isPause
                    ? " pauses already, further keys are not paused"
                    : " overrides and blocks already, remove some first"));
        }
        overrides.put(name, new Entry(text, clock.getAsLong() + LimitUsage.micros(ttl)));
    }

    @Override
    public Uni<Duration> pause(String name, Duration ttl) {
        return PlainUni.item(() -> paused(name, ttl));
    }

    private synchronized Duration paused(String name, Duration ttl) {
        Entry known = overrides.get(name);
        Duration left = known == null ? Duration.ZERO
                : LimitUsage.micros(Math.max(0, known.expiresAt - clock.getAsLong()));
        if (left.compareTo(ttl) < 0) {
            change(() -> keep(name, PAUSED, ttl));
        }
        return left;
    }

    @Override
    public Uni<Void> remove(String name) {
        return PlainUni.item(() -> change(() -> overrides.remove(name)));
    }

    @Override
    public Uni<Versioned> changedSince(String known) {
        return PlainUni.item(() -> read(known));
    }

    void clear() {
        change(overrides::clear);
    }

    private synchronized Void change(Runnable change) {
        change.run();
        version++;
        return null;
    }

    private synchronized Versioned read(String known) {
        removeExpired();
        if (version == 0 || Long.toString(version).equals(known)) {
            return null;
        }
        long now = clock.getAsLong();
        Map<String, Kept> texts = new HashMap<>();
        overrides.forEach((name, override) -> texts.put(name,
                new Kept(override.text, LimitUsage.micros(override.expiresAt - now))));
        return new Versioned(Long.toString(version), texts);
    }

    private void removeExpired() {
        long now = clock.getAsLong();
        if (overrides.values().removeIf(override -> override.expiresAt <= now)) {
            version++;
        }
    }

    /** @param expiresAt microseconds */
    private record Entry(String text, long expiresAt) {

        boolean isPause() {
            return text.equals(PAUSED);
        }
    }
}
