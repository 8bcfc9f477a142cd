package io.quarkiverse.ratelimit.runtime.store;

/**
 * Identifies the state of one limit of a policy for a caller. Implements {@code equals} and {@code hashCode} itself, as
 * those of a record are slower. Comparable, so that lookups stay fast when an attacker chooses keys with equal hashes,
 * and that several states are locked in one order.
 *
 * @param caller the stored form of the caller's key; empty if all callers share one count
 */
public record LimitKey(String policy, String limit, String caller) implements Comparable<LimitKey> {

    /** Stands for the name of a limit in the key of a penalty. No limit has this name. */
    public static final String PENALTY = "penalty:state";

    @Override
    public boolean equals(Object other) {
        return other instanceof LimitKey that && caller.equals(that.caller) && policy.equals(that.policy)
                && limit.equals(that.limit);
    }

    @Override
    public int hashCode() {
        return (policy.hashCode() * 31 + limit.hashCode()) * 31 + caller.hashCode();
    }

    @Override
    public int compareTo(LimitKey other) {
        int byCaller = caller.compareTo(other.caller);
        int byLimit = byCaller != 0 ? byCaller : limit.compareTo(other.limit);
        return byLimit != 0 ? byLimit : policy.compareTo(other.policy);
    }
}
