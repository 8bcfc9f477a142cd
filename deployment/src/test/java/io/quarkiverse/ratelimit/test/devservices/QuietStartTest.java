package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class QuietStartTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Warnings.class))
            .setLogRecordPredicate(Warnings::include).assertLogRecords(Warnings::assertNone);

    @Inject
    RedisDataSource redis;

    @Test
    void redisStartsWithoutAWarning() {
        redis.value(String.class).set("greeting", "hello");

        assertThat(redis.value(String.class).get("greeting")).isEqualTo("hello");
    }
}
