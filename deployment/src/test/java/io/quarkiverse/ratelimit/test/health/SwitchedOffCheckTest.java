package io.quarkiverse.ratelimit.test.health;

import static io.quarkiverse.ratelimit.test.health.Readiness.assertReady;
import static io.quarkiverse.ratelimit.test.health.Readiness.awaitRedis;
import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class SwitchedOffCheckTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Readiness.application(1, 0).overrideRuntimeConfigKey(
            "quarkus.smallrye-health.check.\"io.quarkus.redis.runtime.client.health.RedisHealthCheck\".enabled", "false");

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @Test
    void configuredRedisIsUsed() {
        assertThat(hosts).isEqualTo("redis://127.0.0.1:1");
    }

    @Test
    void applicationIsReadyAlthoughRedisHasNeverBeenThere() {
        awaitRedis("unavailable");
        assertReady();
    }
}
