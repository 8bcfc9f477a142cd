package io.quarkiverse.ratelimit.test;

import java.util.Arrays;
import java.util.List;

import io.quarkus.redis.datasource.RedisDataSource;

/** Lists the keys of some policies in Redis, as other classes of the shared application may still renew theirs. */
public final class StateKeys {

    private StateKeys() {
    }

    /** Without the keys that end with the id of a call. */
    public static List<String> of(RedisDataSource redis, String... policies) {
        return redis.key().keys("rate-limit:*[^0-9]").stream()
                .filter(key -> Arrays.stream(policies).anyMatch(
                        policy -> key.contains(":" + policy + ":") || key.contains("{" + policy + "}")))
                .toList();
    }
}
