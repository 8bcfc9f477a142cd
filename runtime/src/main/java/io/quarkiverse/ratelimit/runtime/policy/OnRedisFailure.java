package io.quarkiverse.ratelimit.runtime.policy;

/** The decisions of a policy while Redis is unavailable. */
public enum OnRedisFailure {
    /** Counts in the memory of each instance, with limits divided by {@code replicas}. */
    LOCAL,
    /** Allows the call (fail open). */
    ALLOW,
    /** Denies the call (fail closed), over HTTP with status 503. */
    DENY
}
