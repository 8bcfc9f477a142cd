package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.inject.Inject;

import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class QuietStartTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withEmptyApplication()
            .setLogRecordPredicate(entry -> true)
            .assertLogRecords(log -> assertThat(log)
                    .filteredOn(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                    .map(new PatternFormatter("%p %s")::format).isEmpty());

    @Inject
    RedisDataSource redis;

    @Test
    void redisStartsWithoutAWarning() {
        redis.value(String.class).set("greeting", "hello");

        assertThat(redis.value(String.class).get("greeting")).isEqualTo("hello");
    }
}
