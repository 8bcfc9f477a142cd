package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.limits.StoredOverride.Kind;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChanges;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Versioned;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/** Replaces configured limits by overrides, and blocks keys. All instances share both, and read them twice a second. */
public final class Overrides {

    /** Stands for an override without a duration; longer than any duration. */
    public static final Duration UNTIL_REMOVED = Duration.ofDays(36525);

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final OverrideStore store;
    private final LongSupplier clock;
    private final AtomicLong sequence = new AtomicLong();
    /** Entries in force. Of a block and the pauses of a key, the one that ends last. */
    private final Map<String, StoredOverride> byName = new ConcurrentHashMap<>();
    /** Overrides and blocks as last read, with the later blocks of this instance. */
    private Map<String, StoredOverride> texts = new HashMap<>();
    private final KnownPauses pauses;
    private volatile String version = "";
    private volatile boolean mayDelay;
    /** Number in {@link #sequence} of the refresh, or of the change here, that was applied last. */
    private long lastChange;

    /** @param clock microseconds */
    public Overrides(OverrideStore store, LongSupplier clock) {
        this.store = store;
        this.clock = clock;
        pauses = new KnownPauses(clock);
    }

    /** Returns whether no override and no block is known, not even an expired one. */
    public boolean areEmpty() {
        return byName.isEmpty();
    }

    /** Returns whether an override has a limit that delays calls. */
    public boolean mayDelay() {
        return mayDelay;
    }

    /**
     * Returns the policy with the limits in force. An override for the caller's key comes first, then the plan, then an
     * override for all callers, then the policy's own limits. The same plan and the same override make the same variant of a
     * policy.
     *
     * @param plan {@code null} for none
     * @param key empty for all callers
     * @return {@code null} where the policy does not limit the caller
     */
    public Policy inForce(Policy policy, Plan plan, String key) {
        Policy inForce = withOverride(inMode(policy), Kind.OVERRIDE, "");
        if (plan != null && !plan.unlimited()) {
            inForce = inForce.with(plan);
        }
        Policy own = forKey(inForce, key);
        return plan != null && plan.unlimited() && own == inForce ? null : own;
    }

    /**
     * Returns the policy with the override and the block of one key. An empty key has no override, as that is for all callers.
     */
    public Policy forKey(Policy policy, String key) {
        return withBlock(key.isEmpty() ? policy : withOverride(policy, Kind.OVERRIDE, key), key);
    }

    /** Returns the policy with the block of one key. */
    public Policy withBlock(Policy policy, String key) {
        return withOverride(policy, Kind.BLOCK, key);
    }

    /** Returns the policy in the mode in force. */
    public Policy inMode(Policy policy) {
        return withOverride(policy, Kind.SHADOW, "");
    }

    private Policy withOverride(Policy policy, Kind kind, String key) {
        StoredOverride override = areEmpty() ? null : byName.get(kind.prefix + name(policy.name(), key));
        return override == null || !override.isInForce() ? policy : override.applyTo(policy);
    }

    /** Returns how long a key is still paused; zero if it is not. */
    public Duration pausedFor(String policy, String key) {
        StoredOverride block = byName.get(nameOfBlock(policy, key));
        return block == null || !block.isPause() ? Duration.ZERO : block.remainingTime();
    }

    /** Returns how long this instance knows a key to be paused, also if a block lasts longer. */
    public synchronized Duration knownPause(String policy, String key) {
        StoredOverride pause = pauses.last(nameOfBlock(policy, key));
        return pause == null ? Duration.ZERO : pause.remainingTime();
    }

    /** Returns all overrides in force for a policy: first the one for all callers, then those by key. */
    public List<StoredOverride> overrides(Policy policy) {
        return entries(policy.name());
    }

    /** Returns the blocks and pauses in force for a policy. */
    public List<StoredOverride> blocks(Policy policy) {
        return entries(nameOfBlock(policy.name(), ""));
    }

    /** Returns the shadow in force for a policy. */
    public Optional<StoredOverride> shadow(Policy policy) {
        return entries(Kind.SHADOW.prefix + policy.name()).stream().findFirst();
    }

    /** Returns what is in force under a name, and for the keys below it. */
    private List<StoredOverride> entries(String name) {
        return byName.entrySet().stream()
                .filter(entry -> entry.getKey().equals(name) || entry.getKey().startsWith(name + ' '))
                .sorted(Map.Entry.comparingByKey()).map(Map.Entry::getValue)
                .filter(override -> override.isInForce()).toList();
    }

    /** Names are unique: a policy's name contains no blank. An empty key stands for all callers. */
    private static String name(String policy, String key) {
        return key.isEmpty() ? policy : policy + ' ' + key;
    }

    private static String nameOfBlock(String policy, String key) {
        return Kind.BLOCK.prefix + name(policy, key);
    }

    /** @param key empty for all callers */
    public Uni<Void> put(Policy policy, String key, Map<String, Limit> limits, Duration ttl, Change change) {
        return store.put(name(policy.name(), key), change.addTo(LimitsJson.of(limits)).encode(), ttl).chain(this::refresh);
    }

    /** @param key empty for all callers */
    public Uni<Void> remove(Policy policy, String key) {
        return store.remove(name(policy.name(), key)).chain(this::refresh);
    }

    /** Puts a policy into shadow mode, in place of an earlier shadow. */
    public Uni<Void> shadow(Policy policy, Duration time, Change change) {
        return store.put(Kind.SHADOW.prefix + policy.name(), change.addTo(new JsonObject()).encode(), time)
                .chain(this::refresh);
    }

    /** Ends the shadow of a policy. */
    public Uni<Void> enforce(Policy policy) {
        return store.remove(Kind.SHADOW.prefix + policy.name()).chain(this::refresh);
    }

    /**
     * Blocks a key, in place of an earlier block. If the store fails, the key is blocked here until the store is read again.
     */
    public Uni<Void> block(Policy policy, String key, Duration time, Change change) {
        String name = nameOfBlock(policy.name(), key);
        String text = change.addTo(new JsonObject()).encode();
        return store.put(name, text, time).chain(this::refresh)
                .onFailure().invoke(() -> changeHere(name, StoredOverride.read(name, text, time, clock)));
    }

    /**
     * Pauses a key, on this instance at once, also if the store fails. Of a block and pauses, the one that ends last applies.
     *
     * @return for how long the key was paused already
     */
    public Uni<Duration> pause(Policy policy, String key, Duration time) {
        String name = nameOfBlock(policy.name(), key);
        Duration known = knownPause(policy.name(), key);
        keep(policy.name(), name, StoredOverride.read(name, StoredOverride.PAUSED, time, clock));
        return store.pause(policy.name(), name, time)
                .call(before -> before.compareTo(time) >= 0 ? refresh() : Uni.createFrom().voidItem())
                .map(before -> LimitUsage.longer(before, known));
    }

    /**
     * Ends a block and a pause. If the store fails, the key is unblocked here until the store is read again.
     *
     * @return whether there was a pause
     */
    public Uni<Boolean> unblock(Policy policy, String key) {
        String name = nameOfBlock(policy.name(), key);
        boolean isPausedHere = !knownPause(policy.name(), key).isZero();
        return store.remove(name).chain(() -> store.endPause(policy.name(), name)).invoke(() -> endPause(name))
                .map(ended -> ended || isPausedHere).call(this::refresh)
                .onFailure().invoke(() -> {
                    endPause(name);
                    pauses.readAllNext();
                    changeHere(name, null);
                });
    }

    /** Ends the pauses of this instance, after all were removed from the store. */
    public synchronized void endPauses() {
        pauses.clear();
        byName.keySet().forEach(this::merge);
    }

    private synchronized void endPause(String name) {
        pauses.remove(name);
        merge(name);
    }

    private synchronized void keep(String policy, String name, StoredOverride pause) {
        pauses.keep(policy, name, pause, sequence.incrementAndGet()).forEach(this::merge);
    }

    /**
     * Updates the entry in force for a name, in one step, because other threads must never find the key unblocked.
     */
    private void merge(String name) {
        byName.compute(name, (key, before) -> StoredOverride.last(texts.get(name), pauses.last(name)));
    }

    private synchronized void removeExpired() {
        pauses.removeExpired();
        byName.values().removeIf(override -> !override.isInForce());
    }

    public Uni<Void> refresh() {
        return Uni.createFrom().deferred(() -> {
            removeExpired();
            long refresh = sequence.incrementAndGet();
            long time = pauses.timeOfStore();
            Uni<Void> read = store.changedSince(version, time).onItem().ifNotNull().invoke(changed -> apply(refresh, changed))
                    .replaceWithVoid();
            Uni<Void> readPauses = Uni.createFrom().deferred(() -> store.pausesSince(pauses.version(), time))
                    .onItem().ifNotNull().invoke(changed -> apply(refresh, changed)).replaceWithVoid();
            // a user of Redis may lack the commands of pauses, which overrides and blocks do not need
            return read.chain(() -> readPauses.onFailure().recoverWithItem(failure -> {
                LOG.debugf("Pauses were not read: %s", failure.getMessage());
                return null;
            }));
        });
    }

    /** Ignores the result of a refresh that began before the last change. */
    private synchronized void apply(long refresh, Versioned changed) {
        if (refresh < lastChange) {
            return;
        }
        Map<String, StoredOverride> read = new HashMap<>();
        changed.texts().forEach((name, kept) -> {
            try {
                read.put(name, StoredOverride.read(name, kept.text(), kept.ttl(), clock));
            } catch (RuntimeException e) {
                LOG.warnf("An override is ignored, as this version cannot read it: %s", kept.text());
            }
        });
        Set<String> changedNames = new HashSet<>(texts.keySet());
        changedNames.addAll(read.keySet());
        texts = read;
        changedNames.forEach(this::merge);
        mayDelay = read.values().stream().flatMap(override -> override.limits().values().stream())
                .anyMatch(limit -> !limit.maxWait().isZero());
        version = changed.version();
        lastChange = refresh;
    }

    private synchronized void apply(long refresh, PauseChanges changed) {
        pauses.apply(refresh, changed).forEach(this::merge);
    }

    /**
     * Changes a block on this instance until the store is read again.
     *
     * @param block {@code null} to remove it
     */
    private synchronized void changeHere(String name, StoredOverride block) {
        lastChange = sequence.incrementAndGet();
        version = OverrideStore.UNKNOWN;
        if (block == null) {
            texts.remove(name);
        } else {
            texts.put(name, block);
        }
        merge(name);
    }
}
