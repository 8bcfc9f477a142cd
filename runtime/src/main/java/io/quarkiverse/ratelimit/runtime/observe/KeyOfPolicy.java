package io.quarkiverse.ratelimit.runtime.observe;

/** A denied key in its stored form, with the policy that denied it. */
record KeyOfPolicy(String policy, String key) implements Comparable<KeyOfPolicy> {

    @Override
    public int compareTo(KeyOfPolicy other) {
        int byKey = key.compareTo(other.key);
        return byKey != 0 ? byKey : policy.compareTo(other.policy);
    }
}
