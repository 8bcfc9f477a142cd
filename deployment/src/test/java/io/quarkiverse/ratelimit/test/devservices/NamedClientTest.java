package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class NamedClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withEmptyApplication()
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.redis.limits.devservices.enabled", "false")
            .overrideConfigKey("quarkus.rate-limit.redis-client", "limits");

    @Inject
    @RedisClientName("limits")
    RedisDataSource redis;

    @ConfigProperty(name = "quarkus.redis.hosts")
    Optional<String> defaultHosts;

    @Test
    void onlyTheLimitersClientGetsALocalRedis() {
        assertThat(redis.execute("PING").toString()).isEqualTo("PONG");
        assertThat(defaultHosts).isEmpty();
    }
}
