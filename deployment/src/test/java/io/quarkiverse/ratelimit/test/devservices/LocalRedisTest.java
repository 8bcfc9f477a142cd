package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.test.devservices.fixtures.Warnings;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Of the limiter's own client. */
class LocalRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Warnings.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.redis.limits.devservices.enabled", "false")
            .overrideConfigKey("quarkus.rate-limit.redis-client", "limits")
            .setLogRecordPredicate(Warnings::include).assertLogRecords(Warnings::assertNone);

    @Inject
    @RedisClientName("limits")
    RedisDataSource redis;

    @ConfigProperty(name = "quarkus.redis.limits.hosts")
    String hosts;

    @ConfigProperty(name = "quarkus.redis.hosts")
    Optional<String> defaultHosts;

    @Test
    void onlyTheLimitersClientGetsIt() {
        assertThat(redis.execute("PING").toString()).isEqualTo("PONG");
        assertThat(defaultHosts).isEmpty();
    }

    @Test
    void applicationTalksToItOnTheLoopbackInterface() {
        redis.value(String.class).set("greeting", "hello");

        assertThat(redis.value(String.class).get("greeting")).isEqualTo("hello");
        assertThat(hosts).startsWith("redis://127.0.0.1:");
    }

    @Test
    void nothingIsWrittenToDisk() {
        assertThat(redis.execute("CONFIG", "GET", "save").get("save").toString()).isEmpty();
        assertThat(redis.execute("CONFIG", "GET", "appendonly").get("appendonly").toString()).isEqualTo("no");
    }
}
