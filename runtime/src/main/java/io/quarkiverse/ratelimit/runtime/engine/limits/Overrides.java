package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Versioned;
import io.smallrye.mutiny.Uni;

/** Replaces configured limits by overrides, and blocks keys. All instances share both, and read them twice a second. */
public final class Overrides {

    /** Stands for an override without a duration; longer than any duration. */
    public static final Duration UNTIL_REMOVED = Duration.ofDays(36525);

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** A version that the store never has, so that the next refresh reads everything. */
    private static final String UNKNOWN = "?";

    private final OverrideStore store;
    private final LongSupplier clock;
    private final AtomicLong sequence = new AtomicLong();
    /** As last read, with the later blocks of this instance. */
    private volatile Map<String, StoredOverride> byName = new ConcurrentHashMap<>();
    private volatile String version = "";
    private volatile boolean mayDelay;
    /** The number in {@link #sequence} of the refresh, or of the change here, that was applied last. */
    private long lastChange;

    /** @param clock microseconds */
    public Overrides(OverrideStore store, LongSupplier clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Whether no override and no block is known, not even an expired one. */
    public boolean areEmpty() {
        return byName.isEmpty();
    }

    /** Whether an override has a limit that delays calls. */
    public boolean mayDelay() {
        return mayDelay;
    }

    /**
     * The charge by the limits in force. An override for the caller's key comes first, then the plan, then an override for all
     * callers, then the policy's own limits. Charges by configured plans are kept.
     *
     * @param plan {@code null} for none
     * @param key empty for all callers
     * @return {@code null} where the policy does not limit the caller
     */
    public Charge charge(Charge charge, String key, Plan plan) {
        Charge inForce = charge.with(withOverride(charge.policy, "", ""));
        if (plan != null && !plan.unlimited()) {
            inForce = inForce.with(plan);
        }
        Policy own = forKey(inForce.policy, key);
        return plan != null && plan.unlimited() && own == inForce.policy ? null : inForce.with(own);
    }

    /** The policy with the limits in force, see {@link #charge}. */
    public Policy inForce(Policy policy, Plan plan, String key) {
        Charge inForce = charge(new Charge(policy, PermitRequest.PEEK), key, plan);
        return inForce == null ? null : inForce.policy;
    }

    /** The policy with the override and the block of one key. An empty key has no override, as that is for all callers. */
    public Policy forKey(Policy policy, String key) {
        return areEmpty() ? policy : withBlock(key.isEmpty() ? policy : withOverride(policy, "", key), key);
    }

    /** The policy with the block of one key. */
    public Policy withBlock(Policy policy, String key) {
        return withOverride(policy, StoredOverride.BLOCK, key);
    }

    private Policy withOverride(Policy policy, String prefix, String key) {
        StoredOverride override = areEmpty() ? null : byName.get(prefix + name(policy.name(), key));
        return override == null || !override.isInForce() ? policy : override.applyTo(policy);
    }

    /** How long a key is still paused; zero if it is not. */
    public Duration pausedFor(String policy, String key) {
        StoredOverride block = byName.get(nameOfBlock(policy, key));
        return block == null || !block.isPause() ? Duration.ZERO : block.left();
    }

    /** All overrides in force for a policy: first the one for all callers, then those by key. */
    public List<? extends RateLimitOverride> overrides(Policy policy) {
        return inForce(policy.name());
    }

    public Map<String, Duration> blocks(Policy policy) {
        Map<String, Duration> blocks = new ConcurrentHashMap<>();
        inForce(nameOfBlock(policy.name(), "")).forEach(block -> blocks.put(block.storedKey(), block.left()));
        return blocks;
    }

    private List<StoredOverride> inForce(String name) {
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
        return StoredOverride.BLOCK + name(policy, key);
    }

    /** @param key empty for all callers */
    public Uni<Void> put(Policy policy, String key, Map<String, Limit> limits, Duration ttl) {
        return store.put(name(policy.name(), key), LimitsJson.of(limits).encode(), ttl).chain(this::refresh);
    }

    /** @param key empty for all callers */
    public Uni<Void> remove(Policy policy, String key) {
        return store.remove(name(policy.name(), key)).chain(this::refresh);
    }

    /**
     * Blocks a key, in place of an earlier block. If the store fails, the key is blocked here until the store is read again.
     */
    public Uni<Void> block(Policy policy, String key, Duration time) {
        String name = nameOfBlock(policy.name(), key);
        return store.put(name, "", time).chain(this::refresh)
                .onFailure().invoke(() -> changeHere(name, StoredOverride.read(name, "", time, clock)));
    }

    /**
     * Pauses a key, unless it is blocked or paused for longer. If the store fails, the key is paused here until the store is
     * read again.
     *
     * @return for how long the key was blocked or paused already
     */
    public Uni<Duration> pause(Policy policy, String key, Duration time) {
        String name = nameOfBlock(policy.name(), key);
        StoredOverride known = byName.get(name), paused = StoredOverride.read(name, OverrideStore.PAUSED, time, clock);
        if (known == null || known.until() < paused.until()) {
            // now, as other calls of this instance are about to begin
            changeHere(name, paused);
        }
        // a longer block in the store replaces the pause that was set here
        return store.pause(name, time)
                .call(before -> before.compareTo(time) >= 0 ? refresh() : Uni.createFrom().voidItem());
    }

    /** Ends a block or a pause. If the store fails, the key is unblocked here until the store is read again. */
    public Uni<Void> unblock(Policy policy, String key) {
        String name = nameOfBlock(policy.name(), key);
        return store.remove(name).chain(this::refresh).onFailure().invoke(() -> changeHere(name, null));
    }

    public Uni<Void> refresh() {
        return Uni.createFrom().deferred(() -> {
            long refresh = sequence.incrementAndGet();
            return store.changedSince(version).onItem().ifNotNull().invoke(changed -> apply(refresh, changed))
                    .replaceWithVoid();
        });
    }

    /** Ignores the result of a refresh that began before the last change. */
    private synchronized void apply(long refresh, Versioned changed) {
        if (refresh > lastChange) {
            Map<String, StoredOverride> read = new ConcurrentHashMap<>();
            changed.texts().forEach((name, kept) -> {
                try {
                    read.put(name, StoredOverride.read(name, kept.text(), kept.ttl(), clock));
                } catch (RuntimeException e) {
                    LOG.warnf("An override is ignored, as this version cannot read it: %s", kept.text());
                }
            });
            byName = read;
            mayDelay = read.values().stream().flatMap(override -> override.limits().values().stream())
                    .anyMatch(limit -> !limit.maxWait().isZero());
            version = changed.version();
            lastChange = refresh;
        }
    }

    /**
     * Changes a block on this instance until the store is read again. Ignores a new pause if there are already as many
     * overrides and blocks as the store holds, because called services cause pauses. Expired ones are removed only then.
     *
     * @param block {@code null} to remove it
     */
    private synchronized void changeHere(String name, StoredOverride block) {
        lastChange = sequence.incrementAndGet();
        version = UNKNOWN;
        if (byName.size() >= OverrideStore.MAX_TEXTS) {
            byName.values().removeIf(override -> !override.isInForce());
        }
        // replaced at once, as calls on other threads must not find the key unblocked meanwhile
        if (block == null) {
            byName.remove(name);
        } else if (!block.isPause() || byName.size() < OverrideStore.MAX_TEXTS || byName.containsKey(name)) {
            byName.put(name, block);
        }
    }
}
