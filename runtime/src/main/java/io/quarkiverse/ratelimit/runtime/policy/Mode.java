package io.quarkiverse.ratelimit.runtime.policy;

/** The modes of a policy: it denies calls, or only reports them. */
public enum Mode {
    /** Denies calls beyond the limit. */
    ENFORCE,
    /** Counts, reports at {@code DEBUG} what it would have denied, and allows the call. */
    SHADOW
}
