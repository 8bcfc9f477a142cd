package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChange;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChange.Kind;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChanges;

/**
 * Keeps the pauses that this instance knows: its own ones, and those in the store as last read. It is used under one lock.
 * Where a method returns names, other pauses are in force for these names than before.
 */
final class KnownPauses {

    private final LongSupplier clock;
    private final Map<String, StoredOverride> stored = new HashMap<>();
    /** Pauses of this instance. It keeps them in any case, because others may take their place in the store. */
    private final Map<String, OwnPause> own = new HashMap<>();
    private volatile String version = "";
    /** Microseconds by which the clock of the store is ahead of the one here; {@code null} before it was read. */
    private volatile Long ahead;
    private long lastChange;

    /** @param begunAt the number among refreshes */
    private record OwnPause(String policy, StoredOverride pause, long begunAt) {
    }

    KnownPauses(LongSupplier clock) {
        this.clock = clock;
    }

    /** Returns the version that was read last. */
    String version() {
        return version;
    }

    /** Lets the next refresh read all pauses. */
    void readAllNext() {
        version = OverrideStore.UNKNOWN;
    }

    /** Returns the time in microseconds by the clock of the store; 0 before it was read. */
    long timeOfStore() {
        return ahead == null ? 0 : clock.getAsLong() + ahead;
    }

    /** Returns the pause that ends last; {@code null} for none. */
    StoredOverride last(String name) {
        OwnPause ownPause = own.get(name);
        return StoredOverride.last(stored.get(name), ownPause == null ? null : ownPause.pause);
    }

    /** Keeps a pause of this instance. If there are too many, the one of its policy that ends first makes place. */
    Set<String> keep(String policy, String name, StoredOverride pause, long number) {
        OwnPause known = own.get(name);
        if (known != null && known.pause.until() >= pause.until()) {
            return Set.of();
        }
        if (known == null && own.size() >= OverrideStore.MAX_PAUSES) {
            removeExpired();
        }
        if (known != null || own.size() < OverrideStore.MAX_PAUSES) {
            own.put(name, new OwnPause(policy, pause, number));
            return Set.of(name);
        }
        String first = own.entrySet().stream().filter(entry -> entry.getValue().policy.equals(policy))
                .min(Comparator.comparing(entry -> entry.getValue().pause.until())).map(Map.Entry::getKey).orElse(null);
        if (first != null) {
            own.remove(first);
            own.put(name, new OwnPause(policy, pause, number));
            return Set.of(first, name);
        }
        // without a place, until the store is read
        if (stored.size() < OverrideStore.MAX_PAUSES) {
            stored.put(name, pause);
        }
        return Set.of(name);
    }

    void remove(String name) {
        own.remove(name);
        stored.remove(name);
    }

    void clear() {
        own.clear();
        stored.clear();
    }

    void removeExpired() {
        own.values().removeIf(ownPause -> !ownPause.pause.isInForce());
        stored.values().removeIf(pause -> !pause.isInForce());
    }

    /** Applies what a refresh has read, unless it began before the last one. */
    Set<String> apply(long refresh, PauseChanges changed) {
        if (refresh < lastChange) {
            return Set.of();
        }
        Set<String> names = new HashSet<>(follow(changed.time() - clock.getAsLong()));
        if (changed.all()) {
            names.addAll(stored.keySet());
            stored.clear();
        }
        for (PauseChange change : changed.changes()) {
            String name = change.name();
            names.add(name);
            OwnPause known = own.get(name);
            if (change.kind() == Kind.ENDED && known != null && known.begunAt < refresh) {
                own.remove(name);
            }
            if (change.kind() == Kind.PAUSED) {
                stored.put(name, StoredOverride.read(name, StoredOverride.PAUSED, change.left(), clock));
            } else {
                stored.remove(name);
            }
        }
        version = changed.version();
        lastChange = refresh;
        return names;
    }

    /**
     * Moves the ends of the pauses of this instance when the clock of the store was set, or the one here stood still.
     *
     * @param nowAhead by how many microseconds the clock of the store is ahead now
     */
    private Set<String> follow(long nowAhead) {
        Long before = ahead;
        if (before != null && Math.abs(nowAhead - before) < OverrideStore.MAX_DIFFERENCE) {
            return Set.of();
        }
        ahead = nowAhead;
        if (before != null) {
            own.replaceAll((name, known) -> new OwnPause(known.policy, known.pause.endingEarlierBy(nowAhead - before),
                    known.begunAt));
        }
        return own.keySet();
    }
}
