package io.quarkiverse.ratelimit.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** Redis' Dev Service is off by default if limits are counted in memory. What the application sets wins. */
class UnusedRedisTest {

    @ParameterizedTest
    @CsvSource(nullValues = "unset", value = {
            "memory, quarkus.redis.devservices.enabled, unset, false",
            "redis, quarkus.redis.devservices.enabled, unset, unset",
            "memory, quarkus.redis.devservices.enabled, true, true",
            "memory, quarkus.redis.devservices.enabled, false, false",
            "memory, quarkus.redis.devservices.port, 6379, unset" })
    void propertiesOfTheApplicationWin(String store, String property, String value, String enabled) {
        SmallRyeConfigBuilder builder = new SmallRyeConfigBuilder()
                .withDefaultValue("quarkus.rate-limit.store", store);
        if (value != null) {
            builder.withSources(new PropertiesConfigSource(Map.of(property, value), "application", 250));
        }
        new UnusedRedis().configBuilder(builder);
        assertThat(builder.build().getOptionalValue("quarkus.redis.devservices.enabled", String.class).orElse(null))
                .isEqualTo(enabled);
    }
}
