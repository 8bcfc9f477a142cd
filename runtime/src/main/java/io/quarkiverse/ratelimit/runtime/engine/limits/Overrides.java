package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.engine.limits.OverrideSnapshot.Text;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Versioned;
import io.smallrye.mutiny.Uni;

/** Replaces configured limits by overrides, and blocks keys. All instances share both, and read them twice a second. */
public final class Overrides {

    /** Stands for an override without a duration; longer than any duration. */
    public static final Duration UNTIL_REMOVED = Duration.ofDays(36525);
    /** Changes are in effect on all instances within this time. */
    private static final Duration IN_EFFECT = Duration.ofSeconds(1);

    private final OverrideStore store;
    private final LongSupplier clock;
    private final AtomicLong refreshes = new AtomicLong();
    private volatile OverrideSnapshot snapshot;

    /** @param clock microseconds */
    public Overrides(OverrideStore store, LongSupplier clock) {
        this.store = store;
        this.clock = clock;
        this.snapshot = new OverrideSnapshot(0, "", Map.of(), clock);
    }

    /** Whether no override and no block is in force. */
    public boolean areEmpty() {
        return snapshot.texts.isEmpty();
    }

    /** Whether an override has a limit that delays calls. */
    public boolean mayDelay() {
        return snapshot.mayDelay;
    }

    /** What is in force. */
    public OverrideSnapshot current() {
        return snapshot;
    }

    /** @param key empty for all callers */
    public Uni<Void> put(Policy policy, String key, Map<String, Limit> limits, Duration ttl) {
        return store.put(OverrideSnapshot.name(policy, key), LimitsJson.of(limits).encode(), ttl).chain(this::refresh);
    }

    /** @param key empty for all callers */
    public Uni<Void> remove(Policy policy, String key) {
        return store.remove(OverrideSnapshot.name(policy, key)).chain(this::refresh);
    }

    /**
     * Blocks a key, in place of an earlier block. If the store fails, the key is blocked here until the store is read again.
     */
    public Uni<Void> block(Policy policy, String key, Duration time) {
        String name = OverrideSnapshot.nameOfBlock(policy, key);
        return store.put(name, "", time).chain(this::refresh)
                .onFailure().invoke(() -> changeHere(name, Text.lasting("", time, clock)));
    }

    /**
     * Pauses a key, unless it is blocked or paused for longer. If the store fails, the key is paused here until the store is
     * read again.
     *
     * @return for how long the key was blocked or paused already
     */
    public Uni<Duration> pause(Policy policy, String key, Duration time) {
        String name = OverrideSnapshot.nameOfBlock(policy, key);
        Text known = snapshot.texts.get(name), paused = Text.lasting(OverrideStore.PAUSED, time, clock);
        if (known == null || known.text().equals(OverrideStore.UNBLOCKED) || known.until() < paused.until()) {
            // now, as other calls of this instance are about to begin
            changeHere(name, paused);
        }
        return store.pause(name, time).call(before -> {
            if (before.compareTo(time) < 0 && snapshot.texts.get(name) == null) {
                // a refresh has read the store before the pause was there
                changeHere(name, paused);
            }
            return before.compareTo(time) < 0 ? Uni.createFrom().voidItem() : refresh();
        });
    }

    /**
     * Ends a block or a pause. If the store fails, the key is unblocked here until the store is read again. Permits that an
     * instance keeps for longer than changes take to arrive then belong to another variant of the policy, so they are no longer
     * handed out.
     */
    public Uni<Void> unblock(Policy policy, String key) {
        String name = OverrideSnapshot.nameOfBlock(policy, key);
        Duration ahead = policy.prefetch().time();
        return (ahead.compareTo(IN_EFFECT) <= 0 ? store.remove(name) : store.put(name, OverrideStore.UNBLOCKED, ahead))
                .chain(this::refresh).onFailure().invoke(() -> changeHere(name, null));
    }

    /** Reads the overrides if they have changed. */
    public Uni<Void> refresh() {
        return Uni.createFrom().deferred(() -> {
            long refresh = refreshes.incrementAndGet();
            return store.changedSince(snapshot.version).invoke(changed -> {
                if (changed != null) {
                    apply(refresh, changed);
                }
            }).replaceWithVoid();
        });
    }

    /** Ignores the result of a refresh that began before the last applied one. */
    private synchronized void apply(long refresh, Versioned changed) {
        if (refresh > snapshot.refresh) {
            Map<String, Text> texts = new HashMap<>();
            changed.texts().forEach((name, kept) -> texts.put(name, Text.lasting(kept.text(), kept.ttl(), clock)));
            snapshot = new OverrideSnapshot(refresh, changed.version(), texts, clock);
        }
    }

    /** @param text {@code null} to remove the block */
    private synchronized void changeHere(String name, Text text) {
        snapshot.changeBlock(refreshes.incrementAndGet(), name, text);
    }
}
