package io.quarkiverse.ratelimit.runtime.redis;

/**
 * Names the keys of limits: {@code <prefix>:{<caller>}:<policy>:<limit>}, so that all limits of one caller lie on one
 * slot of a cluster, and {@code <prefix>:{<policy>}:<limit>} where one count stands for all.
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
