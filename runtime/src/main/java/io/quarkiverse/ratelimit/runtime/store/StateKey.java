package io.quarkiverse.ratelimit.runtime.store;

/**
 * Identifies the state of one limit of a policy for a caller. Implements {@code equals} and {@code hashCode} itself, as
 * those of a record are slower. Comparable, so that lookups stay fast when an attacker chooses keys with equal hashes,
 * and that several states are locked in one order.
 */
record StateKey(String policy, String limit, String key) implements Comparable<StateKey> {

    @Override
    public boolean equals(Object other) {
        return other instanceof StateKey that && key.equals(that.key) && policy.equals(that.policy)
                && limit.equals(that.limit);
    }

    @Override
    public int hashCode() {
        return (policy.hashCode() * 31 + limit.hashCode()) * 31 + key.hashCode();
    }

    @Override
    public int compareTo(StateKey other) {
        int byKey = key.compareTo(other.key);
        int byLimit = byKey != 0 ? byKey : limit.compareTo(other.limit);
        return byLimit != 0 ? byLimit : policy.compareTo(other.policy);
    }
}
