package io.quarkiverse.ratelimit.runtime.policy;

/** When a denied caller is told to call again. */
public enum RetryAfter {
    /** At the earliest time when the call would be allowed. */
    EARLIEST,
    /** After the calls of the same key that were denied before it and are not due yet. */
    IN_TURN
}
