package io.quarkiverse.ratelimit.test.memory;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Limits in memory do not switch off the Redis that the application itself uses. */
class RedisOfApplicationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(List.of(
                    Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion())))
            .withConfiguration("""
                    quarkus.rate-limit.store=memory
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.period=1h
                    quarkus.rate-limit.policies.one.key=global
                    """);

    @Inject
    RedisDataSource redis;

    @Inject
    @RateLimitPolicy("one")
    RateLimiter one;

    @Test
    void applicationHasItsRedisAndTheLimiterDoesNotUseIt() {
        assertThat(one.tryAcquire().source()).isEqualTo(Source.MEMORY);
        assertThat(one.tryAcquire().allowed()).isFalse();

        assertThat(redis.execute("KEYS", "*").size()).isZero();
    }

    @Test
    void readinessIsThatOfTheApplicationsRedis() {
        assertThat(get("/q/health/ready").jsonPath()
                .getString("checks.find { it.name == 'Redis connection health check' }.data.default")).isEqualTo("PONG");
    }
}
