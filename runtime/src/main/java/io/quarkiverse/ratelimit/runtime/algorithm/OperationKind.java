package io.quarkiverse.ratelimit.runtime.algorithm;

/** How a call requests permits. Scripts identify a constant by its ordinal. */
public enum OperationKind {
    /** All of them or none. */
    TAKE,
    /** As many of them as are available, in multiples of {@code least}. */
    UP_TO,
    /** All of them, even beyond the limit. */
    CHARGE,
    /** None: it only checks whether enough are available. */
    PEEK
}
