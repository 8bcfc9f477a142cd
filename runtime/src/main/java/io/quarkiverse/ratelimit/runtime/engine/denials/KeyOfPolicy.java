package io.quarkiverse.ratelimit.runtime.engine.denials;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;

/**
 * The stored form of a key, with the name of a policy. Comparable, so that lookups stay fast when an attacker chooses keys with
 * equal hashes.
 */
public record KeyOfPolicy(String policy, String key) implements Comparable<KeyOfPolicy> {

    static KeyOfPolicy of(PolicyPart part) {
        return new KeyOfPolicy(part.policy().name(), part.key());
    }

    @Override
    public int compareTo(KeyOfPolicy other) {
        int byKey = key.compareTo(other.key);
        return byKey != 0 ? byKey : policy.compareTo(other.policy);
    }
}
