package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class LocalRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Warnings.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .setLogRecordPredicate(Warnings::include).assertLogRecords(Warnings::assertNone);

    @Inject
    RedisDataSource redis;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

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
