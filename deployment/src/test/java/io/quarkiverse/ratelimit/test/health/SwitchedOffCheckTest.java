package io.quarkiverse.ratelimit.test.health;

import static io.quarkiverse.ratelimit.test.health.Readiness.assertReady;
import static io.quarkiverse.ratelimit.test.health.Readiness.awaitRedis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class SwitchedOffCheckTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Readiness.application(1, 0).overrideRuntimeConfigKey(
            "quarkus.smallrye-health.check.\"io.quarkus.redis.runtime.client.health.RedisHealthCheck\".enabled", "false");

    @Test
    void applicationIsReadyAlthoughRedisHasNeverBeenThere() {
        awaitRedis("unavailable");
        assertReady();
    }
}
