package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Kept;
import io.smallrye.mutiny.Uni;

/** Knows which limits are in force in place of the configured ones: looks twice a second what all instances keep. */
final class Overrides {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final OverrideStore store;
    private final LongSupplier clock;
    private volatile Map<String, InForce> byName = Map.of();
    private volatile String version = "";

    /** @param clock microseconds */
    Overrides(OverrideStore store, LongSupplier clock) {
        this.store = store;
        this.clock = clock;
    }

    /** What is in force; {@code caller} is {@code null} for everybody. */
    Policy inForce(Policy policy, String caller) {
        Map<String, InForce> all = byName;
        if (all.isEmpty()) {
            return policy;
        }
        Policy forAll = with(policy, all.get(name(policy, null)));
        return caller == null ? forAll : with(forAll, all.get(name(policy, caller)));
    }

    /** Whether there are any. */
    boolean areThere() {
        return !byName.isEmpty();
    }

    Uni<Void> put(Policy policy, String caller, Map<String, Limit> limits, Duration ttl) {
        return store.put(name(policy, caller), OverrideText.of(limits), ttl).chain(this::refresh);
    }

    Uni<Void> remove(Policy policy, String caller) {
        return store.remove(name(policy, caller)).chain(this::refresh);
    }

    /** Looks whether anything has changed. */
    Uni<Void> refresh() {
        return store.changedSince(version).invoke(changed -> {
            if (changed != null) {
                Map<String, InForce> fresh = new HashMap<>();
                changed.texts().forEach((name, kept) -> read(name, kept, fresh));
                byName = fresh;
                version = changed.version();
            }
        }).replaceWithVoid();
    }

    private void read(String name, Kept kept, Map<String, InForce> fresh) {
        try {
            fresh.put(name, new InForce(OverrideText.read(kept.text()), clock.getAsLong() + kept.ttl().toNanos() / 1000));
        } catch (RuntimeException e) {
            LOG.warnf("An override is left out, as this version cannot read it: %s", kept.text());
        }
    }

    private Policy with(Policy policy, InForce override) {
        if (override == null || clock.getAsLong() >= override.until) {
            return policy;
        }
        List<PolicyLimit> limits = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            Limit other = override.limits.get(limit.name());
            limits.add(other == null ? limit : new PolicyLimit(limit.name(), other));
        }
        return policy.withLimits(limits);
    }

    /** No policy's name has a blank, and no caller's stored form is empty but that of one count for all. */
    private static String name(Policy policy, String caller) {
        return caller == null ? policy.name() : policy.name() + ' ' + caller;
    }

    private record InForce(Map<String, Limit> limits, long until) {
    }
}
