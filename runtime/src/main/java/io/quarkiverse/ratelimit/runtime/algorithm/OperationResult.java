package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.Supplier;

/**
 * The result of an operation on one limit, before it is combined with the results of other limits.
 *
 * @param granted how many permits it grants, 0 if it denies
 * @param stored creates the value to store if the call is charged, or the repaired value of an outdated key if it is denied.
 *        It returns {@code null} to remove the key. {@code null} if there is nothing to write
 * @param expiresAt when the stored value expires
 * @param first the first of the numbers that the script would return
 */
public record OperationResult(long granted, Supplier<Object> stored, long expiresAt, long first, long second, long third,
        long fourth) {

    /** A result without numbers. */
    static OperationResult of(long granted, Supplier<Object> stored, long expiresAt) {
        return new OperationResult(granted, stored, expiresAt, 0, 0, 0, 0);
    }

    public boolean allowed() {
        return granted > 0;
    }
}
