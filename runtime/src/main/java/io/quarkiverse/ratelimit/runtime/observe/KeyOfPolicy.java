package io.quarkiverse.ratelimit.runtime.observe;

/** A key in its stored form, and the policy that has denied it. */
record KeyOfPolicy(String policy, String key) implements Comparable<KeyOfPolicy> {

    @Override
    public int compareTo(KeyOfPolicy other) {
        int byKey = key.compareTo(other.key);
        return byKey != 0 ? byKey : policy.compareTo(other.policy);
    }
}
