package io.quarkiverse.ratelimit.runtime.algorithm;

/** The ways to request permits. Scripts identify a constant by its ordinal. */
public enum OperationKind {
    /** All of them or none. */
    ACQUIRE,
    /** As many of them as are available, in multiples of {@code least}. */
    ACQUIRE_UP_TO,
    /** All of them, even beyond the limit. */
    CHARGE,
    /** None: it only checks whether enough are available. */
    PEEK,
    /** As many of them as an instance may acquire ahead of its next calls, in multiples of {@code least}. */
    PREFETCH
}
