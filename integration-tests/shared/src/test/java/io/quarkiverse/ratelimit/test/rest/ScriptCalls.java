package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.redis.datasource.RedisDataSource;

/** Counts the calls of scripts in Redis: one for each decision, and one now and then to look up overrides. */
final class ScriptCalls {

    private ScriptCalls() {
    }

    static int count(RedisDataSource redis) {
        return redis.execute("INFO", "commandstats").toString().lines().filter(line -> line.contains("cmdstat_evalsha:"))
                .mapToInt(line -> Integer.parseInt(line.replaceAll("[^=]*calls=(\\d+),.*", "$1"))).sum();
    }

    /** Asserts how many calls the step makes. The step is repeated if overrides were looked up meanwhile. */
    static void assertCalls(RedisDataSource redis, int expected, Runnable step) {
        await().untilAsserted(() -> {
            int before = count(redis);
            step.run();
            assertThat(count(redis) - before).isEqualTo(expected);
        });
    }
}
