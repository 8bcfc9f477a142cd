package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;

/**
 * An operation on the state of one limit.
 *
 * @param group operations of one group are charged together or not at all: {@link #ENFORCED} can deny the whole request,
 *        {@link #EQUAL_GRANTS} also makes all limits grant as many permits as the strictest, and any other cannot deny the
 *        operations of other groups
 */
public record LimitOperation(LimitKey key, Operation operation, char group) {

    public static final char ENFORCED = '0';
    public static final char EQUAL_GRANTS = 'e';

    /** An operation that can deny the whole request. */
    public LimitOperation(LimitKey key, Operation operation) {
        this(key, operation, ENFORCED);
    }

    /** Whether it can deny the whole request. */
    boolean isEnforced() {
        return group == ENFORCED || group == EQUAL_GRANTS;
    }
}
