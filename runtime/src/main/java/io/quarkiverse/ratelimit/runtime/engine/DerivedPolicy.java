package io.quarkiverse.ratelimit.runtime.engine;

import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Derives a policy from another one, and keeps the last result. */
final class DerivedPolicy {

    private final UnaryOperator<Policy> derivation;
    private volatile Derived last;

    DerivedPolicy(UnaryOperator<Policy> derivation) {
        this.derivation = derivation;
    }

    Policy of(Policy policy) {
        Derived made = last;
        if (made == null || made.from != policy && !made.from.equals(policy)) {
            made = new Derived(policy, derivation.apply(policy));
            last = made;
        }
        return made.policy;
    }

    private record Derived(Policy from, Policy policy) {
    }
}
