package io.quarkiverse.ratelimit.test.config;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.test.openapi.fixtures.DescribedLimits;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.http.Header;
import io.restassured.response.Response;

/**
 * The configuration is a YAML file, also that of the build: it turns off what other extensions get from the limiter, which does
 * not use the Redis of the application.
 */
class YamlTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(Stream.of("smallrye-health", "smallrye-openapi", "micrometer", "opentelemetry")
                    .map(name -> Dependency.of("io.quarkus", "quarkus-" + name + "-deployment", Version.getVersion())).toList())
            .withApplicationRoot(jar -> jar.addClasses(Resource.class, DescribedLimits.class).addAsResource(new StringAsset("""
                    quarkus:
                      http:
                        root-path: /shop
                      otel:
                        exporter:
                          otlp:
                            enabled: false
                      rate-limit:
                        store: memory
                        timeout: 10s
                        headers:
                          - ratelimit
                        ipv6-prefix: 56
                        health:
                          enabled: false
                        metrics:
                          enabled: false
                        tracing:
                          enabled: false
                        policies:
                          quotes:
                            permits: 2
                            period: 3600
                            key:
                              - header:X-Caller
                              - method
                            exempt-ips:
                              - 10.0.0.0/8
                              - 2001:db8::/32
                            exempt-roles: [admin, root]
                            count-when: [200, 5xx]
                            plan: roles
                            plan-order:
                              - gold
                              - silver
                            plans:
                              gold:
                                unlimited: true
                              silver:
                                permits: 1000
                          "log-in":
                            permits: 1
                            period: PT1H
                            count-when: "!3xx, !304"
                            key: global
                            missing-key: deny
                            penalty:
                              after: 2
                              within: 10m
                              block: 1h
                              max-block: 1d
                          ahead:
                            key: global
                            permits: 1000000000
                            period: 1d
                            prefetch: 50
                            prefetch-time: 250ms
                          once:
                            key: header:X-Caller
                            permits: 1
                            period: 1h
                          several:
                            limits:
                              fast:
                                permits: 2
                                period: 1s
                              daily:
                                algorithm: fixed-window
                                calendar: day
                                zone: Europe/Berlin
                                permits: 10
                        routes:
                          all:
                            paths:
                              - routed/*
                              - /shop/other
                            methods: [GET, POST]
                            policy: log-in
                    "%test":
                      quarkus:
                        rate-limit:
                          policies:
                            ahead:
                              permits: 500
                    "%prod":
                      quarkus:
                        rate-limit:
                          store: redis
                          policies:
                            ahead:
                              permits: 7
                    """), "application.yaml"));

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    RateLimitConfig config;

    @Inject
    RedisDataSource redis;

    @Any
    @Inject
    InjectableInstance<DecisionObserver> observers;

    @Test
    void endpointsAreLimitedAndHaveOnlyTheConfiguredHeaders() {
        assertConfiguredHeaders(quotes().then().statusCode(200).extract().response());
        var second = quotes();
        assertThat(second.header("RateLimit")).startsWith("\"quotes\";r=0");
        assertConfiguredHeaders(second);

        var denied = quotes();
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isNotNull();
        assertConfiguredHeaders(denied);
    }

    @Test
    void onlyTheConfiguredHeadersAreDescribed() {
        assertThat(DescribedLimits.served().headers("get", "/shop/quotes", "200")).containsExactlyInAnyOrder("RateLimit-Policy",
                "RateLimit");
    }

    private static Response quotes() {
        return given().header("X-Caller", "a").get("/quotes");
    }

    private static void assertConfiguredHeaders(Response response) {
        assertThat(response.headers().asList()).extracting(Header::getName)
                .filteredOn(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"))
                .containsExactlyInAnyOrder("RateLimit-Policy", "RateLimit");
    }

    @Test
    void numbersAreRead() {
        assertThat(admin.policy("quotes").limits().get("default").period()).isEqualTo(Duration.ofHours(1));
        assertThat(admin.policy("ahead").limits().get("default").permits()).isEqualTo(500);
        assertThat(admin.policy("several").limits()).containsOnlyKeys("fast", "daily");
        assertThat(config.policies().get("quotes").exemptIps()).contains(List.of("10.0.0.0/8", "2001:db8::/32"));
        assertThat(config.policies().get("quotes").countWhen()).contains(List.of("200", "5xx"));
    }

    /** Of paths below the root path of the application. */
    @Test
    void penaltyBlocks() {
        given().get("/routed/x").then().statusCode(404);
        given().get("/other").then().statusCode(429);
        given().get("/routed/x").then().statusCode(429);
        assertThat(limiters.get("log-in").peek().denialReason()).contains(DenialReason.BLOCKED);
    }

    @Test
    void applicationHasItsRedisAndTheLimiterDoesNotUseIt() {
        assertThat(limiters.get("once").forKey("a").tryAcquire().source()).isEqualTo(Source.MEMORY);
        assertThat(limiters.get("once").forKey("a").tryAcquire().allowed()).isFalse();

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

    @Path("quotes")
    public static class Resource {
        @GET
        @RateLimited("quotes")
        public String quote() {
            return "ok";
        }
    }
}
