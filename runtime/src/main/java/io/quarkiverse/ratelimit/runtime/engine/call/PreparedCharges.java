package io.quarkiverse.ratelimit.runtime.engine.call;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Prepares charges by plans and overrides, and keeps them, so that equal calls have the same one. */
public final class PreparedCharges {

    /** Bounds the memory. */
    private static final int MAX_CHARGES = 1 << 12;

    private final Map<Variant, Charge> charges = new ConcurrentHashMap<>();

    public Charge charge(Policy policy, PermitRequest requested) {
        Variant variant = new Variant(policy, requested);
        Charge charge = charges.get(variant);
        if (charge == null) {
            if (charges.size() >= MAX_CHARGES) {
                charges.clear();
            }
            charge = charges.computeIfAbsent(variant, made -> new Charge(policy, requested));
        }
        return charge;
    }

    /** Compares policies by identity, which is fast: each plan and each override creates its variant of a policy once. */
    private record Variant(Policy policy, PermitRequest requested) {

        @Override
        public boolean equals(Object other) {
            return other instanceof Variant variant && policy == variant.policy && requested.equals(variant.requested);
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(policy) * 31 + requested.hashCode();
        }
    }
}
