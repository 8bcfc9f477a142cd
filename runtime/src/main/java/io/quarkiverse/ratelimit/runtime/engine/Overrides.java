package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Kept;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Versioned;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/**
 * Replaces configured limits by the overrides in force, which all instances share; refreshed twice a second. Also contains
 * which policies must check for keys that code has blocked.
 */
public final class Overrides {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    /** Stands for an override without a duration; longer than any duration. */
    public static final Duration UNTIL_REMOVED = Duration.ofDays(36525);

    /** Precedes the name of a policy whose keys code has blocked. No name of an override begins like this. */
    private static final String BLOCKED = "!";
    /** A check lasts longer than the block, which is stored after it. */
    private static final Duration LONGER = Duration.ofSeconds(1);

    private final OverrideStore store;
    private final LongSupplier clock;
    private final AtomicLong refreshes = new AtomicLong();
    private final AtomicBoolean exist = new AtomicBoolean();
    private volatile Snapshot snapshot = new Snapshot(0, "", Map.of(), Map.of());

    /** @param clock microseconds */
    public Overrides(OverrideStore store, LongSupplier clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The policy with its override for all callers, and with the check for blocked keys where it is needed. */
    Policy forAll(Policy policy) {
        Snapshot current = snapshot;
        Policy own = current.byName.isEmpty() ? policy : with(policy, current.byName.get(policy.name()));
        BlockCheck check = current.checks.isEmpty() ? null : current.checks.get(policy.name());
        return check == null ? own : check.of(own, clock.getAsLong());
    }

    /** The policy with its override for one key. An empty key has none: an override of the one count is for all callers. */
    Policy forKey(Policy policy, String key) {
        Map<String, InForce> all = snapshot.byName;
        return all.isEmpty() || key.isEmpty() ? policy : with(policy, all.get(name(policy, key)));
    }

    /** All overrides in force for a policy: first the one for all callers, then those by key. */
    List<AppliedOverride> of(Policy policy) {
        long now = clock.getAsLong();
        String callers = policy.name() + ' ';
        List<AppliedOverride> all = new ArrayList<>();
        Map<String, InForce> own = new TreeMap<>();
        snapshot.byName.forEach((name, override) -> {
            if (now < override.until && (name.equals(policy.name()) || name.startsWith(callers))) {
                own.put(name, override);
            }
        });
        own.forEach((name, override) -> all.add(new AppliedOverride(
                name.equals(policy.name()) ? null : name.substring(callers.length()), override.limits,
                Duration.of(override.until - now, ChronoUnit.MICROS))));
        return all;
    }

    /** Whether there are any overrides, or any checks for blocked keys. */
    BooleanSupplier exist() {
        return exist::get;
    }

    Uni<Void> put(Policy policy, String key, Map<String, Limit> limits, Duration ttl) {
        return store.put(name(policy, key), LimitsJson.of(limits).encode(), ttl).chain(this::refresh);
    }

    /** Makes all instances check for blocked keys of this policy for as long as the block lasts. */
    Uni<Void> checkBlocks(Policy policy, Duration block) {
        return policy.penalty() != null ? Uni.createFrom().voidItem()
                : store.extend(BLOCKED + policy.name(), block.plus(LONGER)).chain(this::refresh);
    }

    Uni<Void> remove(Policy policy, String key) {
        return store.remove(name(policy, key)).chain(this::refresh);
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
            Map<String, InForce> fresh = new HashMap<>();
            Map<String, BlockCheck> checks = new HashMap<>();
            changed.texts().forEach((name, kept) -> {
                if (name.startsWith(BLOCKED)) {
                    checks.put(name.substring(BLOCKED.length()), new BlockCheck(until(kept)));
                } else {
                    read(name, kept, fresh);
                }
            });
            snapshot = new Snapshot(refresh, changed.version(), fresh, checks);
            exist.set(!fresh.isEmpty() || !checks.isEmpty());
        }
    }

    private void read(String name, Kept kept, Map<String, InForce> fresh) {
        try {
            fresh.put(name, new InForce(LimitsJson.read(new JsonObject(kept.text())), until(kept)));
        } catch (RuntimeException e) {
            LOG.warnf("An override is ignored, as this version cannot read it: %s", kept.text());
        }
    }

    private long until(Kept kept) {
        return clock.getAsLong() + kept.ttl().toNanos() / 1000;
    }

    private Policy with(Policy policy, InForce override) {
        return override == null || clock.getAsLong() >= override.until ? policy : override.policy.of(policy);
    }

    /** Names are unique: a policy's name contains no blank. An empty key is the one count for all callers. */
    private static String name(Policy policy, String key) {
        return key == null || key.isEmpty() ? policy.name() : policy.name() + ' ' + key;
    }

    private record Snapshot(long refresh, String version, Map<String, InForce> byName, Map<String, BlockCheck> checks) {
    }

    /** @param policy the policy with these limits */
    private record InForce(Map<String, Limit> limits, long until, DerivedPolicy policy) {

        InForce(Map<String, Limit> limits, long until) {
            this(limits, until, new DerivedPolicy(policy -> policy.with(limits)));
        }
    }
}
