package io.quarkiverse.ratelimit.test.memory;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/**
 * Limits in memory do not switch off the Redis that the application itself uses. The application has the extensions for health
 * checks, metrics and traces, but its limiter does without.
 */
class UnusedExtensionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(Stream.of("smallrye-health", "micrometer", "opentelemetry")
                    .map(name -> Dependency.of("io.quarkus", "quarkus-" + name + "-deployment", Version.getVersion())).toList())
            .withConfiguration("""
                    quarkus.rate-limit.store=memory
                    quarkus.rate-limit.health.enabled=false
                    quarkus.rate-limit.metrics.enabled=false
                    quarkus.rate-limit.tracing.enabled=false
                    quarkus.otel.exporter.otlp.enabled=false
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.period=1h
                    quarkus.rate-limit.policies.one.key=global
                    """);

    @Inject
    RedisDataSource redis;

    @Inject
    @RateLimitPolicy("one")
    RateLimiter one;

    @Any
    @Inject
    InjectableInstance<DecisionObserver> observers;

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

    @Test
    void healthHasNoCheckOfTheLimiter() {
        List<String> names = get("/q/health").then().statusCode(200).extract().jsonPath().getList("checks.name");
        assertThat(names).doesNotContain("Rate limits");
    }

    @Test
    void decisionsAreNotObserved() {
        assertThat(observers.handlesStream().map(handle -> handle.getBean().getBeanClass().getSimpleName()))
                .doesNotContain("LimiterMeters", "DecisionSpans");
    }
}
