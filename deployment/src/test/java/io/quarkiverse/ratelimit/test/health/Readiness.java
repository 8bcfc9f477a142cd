package io.quarkiverse.ratelimit.test.health;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import org.jboss.logmanager.formatters.PatternFormatter;

import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** An application with SmallRye Health, and its health. */
final class Readiness {

    private static final PatternFormatter FORMAT = new PatternFormatter("%s");

    private Readiness() {
    }

    /** An application with one policy and a configured Redis, and this number of warnings of Redis' readiness check. */
    static QuarkusUnitTest application(int redisPort, int warnings) {
        return new QuarkusUnitTest()
                .setForcedDependencies(List.of(
                        Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion())))
                .withApplicationRoot(jar -> jar.addClasses(Readiness.class, StoppableRedis.class, QuoteResource.class))
                .withConfiguration("""
                        quarkus.redis.hosts=redis://127.0.0.1:%d
                        quarkus.rate-limit.policies.quotes.permits=1000
                        quarkus.rate-limit.policies.quotes.period=1h
                        quarkus.rate-limit.policies.quotes.key=global
                        """.formatted(redisPort))
                .setLogRecordPredicate(entry -> FORMAT.format(entry).contains("local Redis")
                        || entry.getLevel().intValue() >= Level.WARNING.intValue()
                                && FORMAT.format(entry).contains("readiness check"))
                .assertLogRecords(log -> assertWarnings(warnings, log));
    }

    private static void assertWarnings(int count, List<LogRecord> log) {
        assertThat(log).hasSize(count).allSatisfy(entry -> assertThat(FORMAT.format(entry)).contains("[quotes]",
                "quarkus.redis.health.enabled=false",
                "quarkus.smallrye-health.check.\"io.quarkus.redis.runtime.client.health.RedisHealthCheck\".enabled=false"));
    }

    static void assertReady() {
        assertThat(get("/q/health/ready").statusCode()).isEqualTo(200);
    }

    /** The limiter's check, which is always up. */
    static Map<String, Object> data() {
        Response ready = get("/q/health/ready");
        assertThat(ready.jsonPath().getString("checks.find { it.name == 'Rate limits' }.status")).isEqualTo("UP");
        return ready.jsonPath().getMap("checks.find { it.name == 'Rate limits' }.data");
    }

    static void awaitRedis(String condition) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(data()).containsEntry("redis", condition));
    }

    static int status() {
        return get("/q/health/ready").statusCode();
    }
}
