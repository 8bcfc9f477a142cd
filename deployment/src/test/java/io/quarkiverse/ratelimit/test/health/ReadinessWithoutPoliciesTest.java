package io.quarkiverse.ratelimit.test.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.health.fixtures.Readiness;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** An application without policies and without Redis starts, but can make no limiter. */
class ReadinessWithoutPoliciesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(List.of(
                    Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion())))
            .withApplicationRoot(jar -> jar.addClass(Readiness.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.rate-limit.devservices.enabled", "false");

    @ConfigProperty(name = "quarkus.redis.hosts")
    Optional<String> hosts;

    @Inject
    RateLimiters limiters;

    @Test
    void noRedisIsStarted() {
        assertThat(hosts).isEmpty();
    }

    @Test
    void madeLimiterFailsWithWhatIsMissing() {
        assertThatThrownBy(() -> limiters.create("demo", Limit.slidingLog(1, Duration.ofHours(1))))
                .isInstanceOf(ConfigurationException.class).hasMessageContaining("quarkus.redis.hosts is not set");
    }

    @Test
    void checkReportsThatRedisIsNotUsed() {
        assertThat(Readiness.data())
                .isEqualTo(Map.of("rate-limits", "on", "on-redis-failure", "no policies", "redis", "not used"));
    }
}
