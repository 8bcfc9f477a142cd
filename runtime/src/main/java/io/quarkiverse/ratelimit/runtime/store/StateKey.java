package io.quarkiverse.ratelimit.runtime.store;

/**
 * Names what one limit of a policy keeps for a caller. Compared by hand: what a record has by itself takes longer. In an
 * order, so that keys whose hashes are made to be equal are still found at once.
 */
record StateKey(String policy, String limit, String caller) implements Comparable<StateKey> {

    @Override
    public boolean equals(Object other) {
        return other instanceof StateKey key && caller.equals(key.caller) && policy.equals(key.policy)
                && limit.equals(key.limit);
    }

    @Override
    public int hashCode() {
        return (policy.hashCode() * 31 + limit.hashCode()) * 31 + caller.hashCode();
    }

    @Override
    public int compareTo(StateKey other) {
        int byCaller = caller.compareTo(other.caller);
        int byLimit = byCaller != 0 ? byCaller : limit.compareTo(other.limit);
        return byLimit != 0 ? byLimit : policy.compareTo(other.policy);
    }
}
