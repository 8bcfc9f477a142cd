package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;

/** Pairs a limit's name with the operation on its key. */
public record LimitOperation(String limit, Operation operation) {

    /** Stands for the name of a limit in the key of a penalty. No limit has this name. */
    public static final String PENALTY = "penalty:state";
}
