package io.quarkiverse.ratelimit.runtime.operate.observe;

import static io.quarkiverse.ratelimit.runtime.operate.observe.ReadinessWarning.REDIS_CHECK_ENABLED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.operate.observe.ReadinessWarning.RedisCheckDefault;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** Redis' readiness check is off by default if limits are counted in memory. What the application sets wins. */
class RedisCheckDefaultTest {

    @ParameterizedTest
    @CsvSource(nullValues = "unset", value = {
            "memory, unset, false",
            "redis, unset, unset",
            "memory, true, true",
            "memory, false, false" })
    void propertyOfTheApplicationWins(String store, String value, String enabled) {
        SmallRyeConfigBuilder builder = new SmallRyeConfigBuilder()
                .withDefaultValue("quarkus.rate-limit.store", store);
        if (value != null) {
            builder.withSources(new PropertiesConfigSource(Map.of(REDIS_CHECK_ENABLED, value), "application", 250));
        }
        new RedisCheckDefault().configBuilder(builder);
        assertThat(builder.build().getOptionalValue(REDIS_CHECK_ENABLED, String.class).orElse(null)).isEqualTo(enabled);
    }
}
