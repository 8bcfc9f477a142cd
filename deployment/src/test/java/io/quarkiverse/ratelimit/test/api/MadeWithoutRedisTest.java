package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** An application without policies and without Redis starts, but can make no limiter. */
class MadeWithoutRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.devservices.enabled", "false");

    @Inject
    RateLimiters limiters;

    @Test
    void messageNamesWhatIsMissing() {
        assertThatThrownBy(() -> limiters.create("demo", Limit.slidingLog(1, Duration.ofHours(1))))
                .isInstanceOf(ConfigurationException.class).hasMessageContaining("quarkus.redis.hosts is not set");
    }
}
