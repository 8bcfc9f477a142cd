package io.quarkiverse.ratelimit.runtime.policy;

/** Where a policy finds a caller's plan. */
public enum PlanSource {
    /** A claim of the caller's token. Its value is the plan's name. */
    CLAIM,
    /** The caller's roles. One of them has the plan's name. */
    ROLES,
    /** A bean of the application. It returns the plan's name, or limits. */
    BEAN
}
