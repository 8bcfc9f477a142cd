package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/**
 * A request to a {@link LimitStore}: all operations of one call, or of a refund or a reset. The store decides whether they take
 * effect.
 *
 * @param overflows whether some operations are those of policies with overflows, of which only one is charged
 */
public record StoreRequest(List<LimitOperation> operations, boolean overflows) {

    /** Creates a request without overflows. */
    public StoreRequest(List<LimitOperation> operations) {
        this(operations, false);
    }

    /** Returns whether all limits grant the same number of permits, which is what the strictest of them grants. */
    public boolean equalGrants() {
        return operations.get(0).group() == LimitOperation.EQUAL_GRANTS;
    }

    /**
     * Returns whether both requests contain the same operations, perhaps for different callers. Calls of one charge share them.
     */
    public boolean hasOperationsOf(StoreRequest other) {
        if (operations.size() != other.operations.size()) {
            return false;
        }
        for (int i = 0; i < operations.size(); i++) {
            LimitOperation first = operations.get(i), second = other.operations.get(i);
            if (first.operation() != second.operation() || first.group() != second.group()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the groups of all operations, as {@code decide.lua} reads them. */
    public String groups() {
        StringBuilder groups = new StringBuilder(operations.size());
        for (LimitOperation limit : operations) {
            groups.append(limit.group());
        }
        return groups.toString();
    }

    /** Returns the files that the script for this request needs, one {@link ScriptFile#bit} each. */
    public long files() {
        long files = operations.size() == 1 && operations.get(0).group() == LimitOperation.ENFORCED ? 0
                : overflows ? ScriptFile.TOGETHER.bit() | ScriptFile.OVERFLOW.bit() : ScriptFile.TOGETHER.bit();
        for (LimitOperation limit : operations) {
            files |= limit.operation().files();
        }
        return files;
    }

    /** Returns whether, by the reply of the store, every operation that can deny the request allows it. */
    public boolean allowedBy(StoreReply reply) {
        return takesEffect(LimitOperation.ENFORCED, reply);
    }

    /** Returns whether, by the reply of the store, the operations of this group take effect. */
    public boolean takesEffect(char group, StoreReply reply) {
        for (int i = 0; i < operations.size(); i++) {
            if (operations.get(i).canDeny(group) && reply.limits().get(i).granted() == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * An operation on the state of one limit.
     *
     * @param group operations of one group are charged together or not at all; a group between {@link #ENFORCED} and
     *        {@link #LAST_SHADOW} is that of a shadow policy, and cannot deny other groups. The groups below it are those of
     *        chains, as {@code overflow.lua} explains them: a policy and its overflows, each with another group than the one
     *        before
     */
    public record LimitOperation(LimitKey key, Operation operation, char group) {

        /** Can deny the whole request. */
        public static final char ENFORCED = '0';
        /** Can deny the whole request; all its limits grant as many permits as the strictest of them. */
        public static final char EQUAL_GRANTS = '*';
        public static final char LAST_SHADOW = '~';
        /** Begins a chain that denies the request if none of its policies allows it. */
        public static final char CHAIN = '(';
        /** Begins a chain that denies the request only if its first policy is blocked. */
        public static final char OPEN_CHAIN = '%';
        /** Begins an open chain directly after another one. */
        public static final char NEXT_OPEN_CHAIN = '&';
        /** Is asked if the policy before it denies. If it is the first operation, that policy was in an earlier request. */
        public static final char OVERFLOW = '+';
        /** Is asked after an {@link #OVERFLOW}. */
        public static final char NEXT_OVERFLOW = '-';

        public LimitOperation(LimitKey key, Operation operation) {
            this(key, operation, ENFORCED);
        }

        public boolean isOfChain() {
            return group < ENFORCED && group != EQUAL_GRANTS;
        }

        /** Returns whether it belongs to a policy that is asked if another one denies. */
        public boolean isOfOverflow() {
            return group == OVERFLOW || group == NEXT_OVERFLOW;
        }

        /** Returns whether a denial by this operation denies the operations of a group. */
        boolean canDeny(char otherGroup) {
            return group == otherGroup || group == ENFORCED || group == EQUAL_GRANTS;
        }
    }

    /**
     * Identifies the state of one limit of a policy for a caller. Comparable, so that a store in memory locks several states
     * in one order, and that lookups stay fast when an attacker chooses keys with equal hashes.
     *
     * @param limit name of the limit and the layout of the key; empty for all limits of the policy
     * @param callerKey stored form of the caller's key; empty if all callers share one count
     */
    public record LimitKey(String policy, String limit, String callerKey) implements Comparable<LimitKey> {

        /** Stands for the name of a limit in the key of a penalty. No limit has this name. */
        public static final String PENALTY = "penalty:state";

        // written out, as Java creates those of a record on first use, from about 40 classes

        @Override
        public boolean equals(Object other) {
            return other instanceof LimitKey key && callerKey.equals(key.callerKey) && limit.equals(key.limit)
                    && policy.equals(key.policy);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * policy.hashCode() + limit.hashCode()) + callerKey.hashCode();
        }

        @Override
        public int compareTo(LimitKey other) {
            int byCaller = callerKey.compareTo(other.callerKey);
            int byLimit = byCaller != 0 ? byCaller : limit.compareTo(other.limit);
            return byLimit != 0 ? byLimit : policy.compareTo(other.policy);
        }
    }

    /**
     * The time a decision began and the time it must end, by {@link System#nanoTime}. It includes all parts of the decision and
     * resolver beans. Delays of the call come on top.
     */
    public record Deadline(long began, long due) {

        /** Creates the deadline of a decision that begins now. */
        public static Deadline in(Duration timeout) {
            long now = System.nanoTime();
            return new Deadline(now, now + timeout.toNanos());
        }

        /** Returns a deadline that leaves as much time from now on. */
        public Deadline restarted() {
            return in(Duration.ofNanos(due - began));
        }
    }
}
