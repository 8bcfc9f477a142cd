package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/**
 * A request to a {@link LimitStore}: all operations of one call, or of a refund or a reset. The store decides whether they take
 * effect.
 */
public record StoreRequest(List<LimitOperation> operations) {

    private static final String ONE_ENFORCED = String.valueOf(LimitOperation.ENFORCED);

    /** Whether all limits grant the same number of permits: what the strictest of them grants. */
    public boolean equalGrants() {
        return operations.get(0).group() == LimitOperation.EQUAL_GRANTS;
    }

    /** Whether both requests contain the same operations, perhaps for different callers. Calls of one charge share them. */
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

    private boolean isOneEnforcedLimit() {
        return operations.size() == 1 && operations.get(0).group() == LimitOperation.ENFORCED;
    }

    /** The groups of all operations, as {@code decide.lua} reads them. */
    public String groups() {
        if (isOneEnforcedLimit()) {
            return ONE_ENFORCED;
        }
        StringBuilder groups = new StringBuilder(operations.size());
        for (LimitOperation limit : operations) {
            groups.append(limit.group());
        }
        return groups.toString();
    }

    /** The files that the script for this request needs, one {@link ScriptFile#bit} each. */
    public long files() {
        long files = isOneEnforcedLimit() ? 0 : ScriptFile.TOGETHER.bit();
        for (LimitOperation limit : operations) {
            files |= limit.operation().files();
        }
        return files;
    }

    /** Whether every operation that can deny the request allows it, by the store's reply. */
    public boolean allowedBy(StoreReply reply) {
        return takesEffect(LimitOperation.ENFORCED, reply);
    }

    /** Whether the operations of this group take effect, by the store's reply. */
    boolean takesEffect(char group, StoreReply reply) {
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
     *        {@link #LAST_SHADOW} is that of a shadow policy, and cannot deny other groups
     */
    public record LimitOperation(LimitKey key, Operation operation, char group) {

        /** Can deny the whole request. */
        public static final char ENFORCED = '0';
        /** Can deny the whole request; all its limits grant as many permits as the strictest of them. */
        public static final char EQUAL_GRANTS = '*';
        public static final char LAST_SHADOW = '~';

        public LimitOperation(LimitKey key, Operation operation) {
            this(key, operation, ENFORCED);
        }

        /** Whether a denial by this operation denies the operations of a group. */
        boolean canDeny(char otherGroup) {
            return group == otherGroup || group == ENFORCED || group == EQUAL_GRANTS;
        }
    }

    /**
     * Identifies the state of one limit of a policy for a caller. Comparable, so that {@link LocalStore} locks several states
     * in one order, and that lookups stay fast when an attacker chooses keys with equal hashes.
     *
     * @param limit empty for all limits of the policy
     * @param callerKey the stored form of the caller's key; empty if all callers share one count
     */
    public record LimitKey(String policy, String limit, String callerKey) implements Comparable<LimitKey> {

        /** Stands for the name of a limit in the key of a penalty. No limit has this name. */
        public static final String PENALTY = "penalty:state";

        @Override
        public int compareTo(LimitKey other) {
            int byCaller = callerKey.compareTo(other.callerKey);
            int byLimit = byCaller != 0 ? byCaller : limit.compareTo(other.limit);
            return byLimit != 0 ? byLimit : policy.compareTo(other.policy);
        }
    }

    /**
     * When a decision began and when it must be over, all its parts and resolver beans included, by {@link System#nanoTime}.
     * Delays of the call come on top.
     */
    public record Deadline(long began, long due) {

        /** The deadline of a decision that begins now. */
        public static Deadline in(Duration timeout) {
            long now = System.nanoTime();
            return new Deadline(now, now + timeout.toNanos());
        }
    }
}
