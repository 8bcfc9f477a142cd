package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;

/**
 * Pairs a limit's name with the operation on its key.
 *
 * @param requested what the call acquires from the limit; {@link PermitRequest#NONE} for an operation such as a refund
 */
public record LimitOperation(String name, PermitRequest requested, Operation operation) {

    /** Stands for the name of a limit in the key of a penalty. No limit has this name. */
    public static final String PENALTY = "penalty:state";

    public LimitOperation(String name, Operation operation) {
        this(name, PermitRequest.NONE, operation);
    }
}
