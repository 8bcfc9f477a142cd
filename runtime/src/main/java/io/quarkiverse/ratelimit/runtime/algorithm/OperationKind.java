package io.quarkiverse.ratelimit.runtime.algorithm;

/** What a call does with the permits that it requests. Scripts identify a constant by its ordinal. */
public enum OperationKind {
    /** All of them or none. */
    ACQUIRE,
    /** As many of them as are available, in multiples of {@code least}. */
    ACQUIRE_UP_TO,
    /** All of them, even beyond the limit. */
    CHARGE,
    /** None: it only checks whether enough are available. */
    PEEK,
    /** {@code least} of them, and of the others as many as an instance may acquire ahead of its next calls. */
    PREFETCH
}
