package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class LocalRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withEmptyApplication()
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .setLogRecordPredicate(entry -> true)
            .assertLogRecords(log -> assertThat(log)
                    .filteredOn(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                    .map(new PatternFormatter("%p %s")::format).isEmpty());

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
