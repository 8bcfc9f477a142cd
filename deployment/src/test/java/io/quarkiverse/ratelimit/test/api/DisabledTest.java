package io.quarkiverse.ratelimit.test.api;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** Where rate limits are off, code and requests are allowed without Redis. */
class DisabledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(List.of(
                    Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion())))
            .withApplicationRoot(jar -> jar.addClass(Resource.class))
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            .withConfiguration("""
                    quarkus.rate-limit.enabled=false
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.period=1h
                    quarkus.rate-limit.policies.one.key=global
                    quarkus.rate-limit.routes.all.paths=/*
                    quarkus.rate-limit.routes.all.policy=one
                    """)
            .setLogRecordPredicate(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue()
                    && new PatternFormatter("%s").format(entry).contains("readiness check"))
            .assertLogRecords(log -> assertThat(log).isEmpty());

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void configuredAndMadeLimitersAllowEverything() {
        for (int call = 0; call < 3; call++) {
            assertThat(limiters.get("one").forKey("a").tryAcquire().allowed()).isTrue();
            assertThat(limiters.create("made", Limit.concurrency(1)).forKey("a").reserve(1).decision()
                    .allowed()).isTrue();
        }
        limiters.get("one").refund(limiters.get("one").forKey("a").tryAcquire());
        limiters.get("one").forKey("a").reset();
    }

    @Test
    void sourceIsNotLimited() {
        assertThat(limiters.get("one").forKey("a").tryAcquire().source()).isEqualTo(Source.NOT_LIMITED);
        assertThat(limiters.get("one").forKey("a").peek().source()).isEqualTo(Source.NOT_LIMITED);
        assertThat(limiters.get("one").forKey("a").reserve(1).decision().source()).isEqualTo(Source.NOT_LIMITED);
    }

    @Test
    void nothingCanBeOverridden() {
        assertThatThrownBy(() -> admin.policy("one").override(Limit.tokenBucket(5), Duration.ofHours(1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("off");
        admin.policy("one").removeOverride();
    }

    @Test
    void readinessReportsThatRateLimitsAreOff() {
        var check = get("/q/health/ready").jsonPath().setRootPath("checks.find { it.name == 'Rate limits' }");

        assertThat(check.getString("status")).isEqualTo("UP");
        assertThat(check.getMap("data")).isEqualTo(Map.of("rate-limits", "off"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "annotated", "plain" })
    void requestsAreNeitherCountedNorDenied(String path) {
        for (int call = 0; call < 3; call++) {
            Response response = get("/" + path);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().asList())
                    .noneMatch(header -> header.getName().toLowerCase().contains("ratelimit"));
        }
    }

    @Path("/")
    public static class Resource {

        @GET
        @Path("annotated")
        @RateLimited("one")
        public String annotated() {
            return "done";
        }

        @GET
        @Path("plain")
        public String plain() {
            return "done";
        }
    }
}
