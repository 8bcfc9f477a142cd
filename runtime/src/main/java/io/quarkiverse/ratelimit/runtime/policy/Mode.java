package io.quarkiverse.ratelimit.runtime.policy;

/** Whether a policy refuses calls, or only counts what it would have refused. */
public enum Mode {
    ENFORCE,
    SHADOW
}
