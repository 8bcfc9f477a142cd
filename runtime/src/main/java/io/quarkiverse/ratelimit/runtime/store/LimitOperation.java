package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;

/** Pairs a limit's name with the operation on its key. */
public record LimitOperation(String limit, Operation operation) {
}
