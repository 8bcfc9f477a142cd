package io.quarkiverse.ratelimit.runtime.config;

/** Where limits are counted. */
public enum Store {
    /** In Redis, for all instances together. */
    REDIS,
    /** In the memory of each instance, without Redis. */
    MEMORY
}
