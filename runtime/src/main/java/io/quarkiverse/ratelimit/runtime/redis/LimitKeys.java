package io.quarkiverse.ratelimit.runtime.redis;

/**
 * Builds the Redis keys of limits: {@code <prefix>:{<caller>}:<policy>:<limit>}, so that all limits of one caller share a
 * cluster slot, or {@code <prefix>:{<policy>}:<limit>} if all callers share one count.
 */
final class LimitKeys {

    private final String prefix;

    LimitKeys(String prefix) {
        this.prefix = prefix + ":{";
    }

    String key(String policy, String limit, String caller) {
        return caller.isEmpty() ? prefix + policy + "}:" + limit : prefix + caller + "}:" + policy + ":" + limit;
    }
}
