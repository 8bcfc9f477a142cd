package io.quarkiverse.ratelimit.runtime.redis;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Names the keys of limits: {@code <prefix>:{<caller>}:<policy>:<limit>}, so that all limits of one caller lie on one
 * slot of a cluster, and {@code <prefix>:{<policy>}:<limit>} where one count stands for all.
 */
final class LimitKeys {

    private final String prefix;

    LimitKeys(String prefix) {
        this.prefix = prefix + ":{";
    }

    String key(Policy policy, int limit, String caller) {
        String name = policy.limits().get(limit).name();
        return caller.isEmpty() ? prefix + policy.name() + "}:" + name
                : prefix + caller + "}:" + policy.name() + ":" + name;
    }
}
