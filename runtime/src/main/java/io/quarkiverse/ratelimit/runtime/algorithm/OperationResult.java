package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.Supplier;

/**
 * The result of an operation on one limit, before it is combined with the results of other limits.
 *
 * @param reply reply of the limit
 * @param stored creates the value to store if the call is charged, or the repaired value of an outdated key if it is denied.
 *        It returns {@code null} to remove the key. {@code null} if there is nothing to write
 * @param expiresAt time when the stored value expires
 */
public record OperationResult(LimitReply reply, Supplier<Object> stored, long expiresAt) {

    /** Allows an operation that acquires no permits. */
    public static OperationResult allowed(Supplier<Object> stored, long expiresAt) {
        return new OperationResult(new LimitReply.Done(1), stored, expiresAt);
    }

    /** Allows an operation that acquires no permits, and writes nothing. */
    public static OperationResult unchanged() {
        return allowed(null, 0);
    }

    /** Denies, and writes nothing. */
    static OperationResult denied() {
        return new OperationResult(new LimitReply.Done(0), null, 0);
    }

    /** A stored value in memory that grows with the permits in use. */
    public interface Weighted {

        /** Returns the memory that the value takes, in units of about 200 bytes: the size of a key with a fixed-size value. */
        int weight();
    }
}
