package io.quarkiverse.ratelimit.runtime.policy;

/** What says which plan of a policy applies to a caller. */
public enum PlanSource {
    /** A claim of the caller's token, whose value is the plan's name. */
    CLAIM,
    /** The caller's roles, one of which is called like the plan. */
    ROLES,
    /** A bean of the application, which answers the plan's name. */
    BEAN
}
