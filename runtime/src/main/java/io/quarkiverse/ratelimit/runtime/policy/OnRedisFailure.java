package io.quarkiverse.ratelimit.runtime.policy;

/** What a policy does when Redis cannot decide. */
public enum OnRedisFailure {
    /** Counts in memory, per instance. */
    LOCAL,
    /** Admits the call. */
    ALLOW,
    /** Refuses the call. */
    REFUSE
}
