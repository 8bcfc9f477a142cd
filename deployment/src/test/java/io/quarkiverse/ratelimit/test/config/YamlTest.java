package io.quarkiverse.ratelimit.test.config;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkus.test.QuarkusUnitTest;

/** The configuration is a YAML file. */
class YamlTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Resource.class).addAsResource(new StringAsset("""
                    quarkus:
                      http:
                        root-path: /shop
                      rate-limit:
                        store: memory
                        timeout: 10s
                        headers:
                          - ratelimit
                        ipv6-prefix: 56
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

    @Test
    void endpointsAreLimited() {
        given().header("X-Caller", "a").get("/quotes").then().statusCode(200);
        var second = given().header("X-Caller", "a").get("/quotes");
        assertThat(second.header("RateLimit")).startsWith("\"quotes\";r=0");
        assertThat(second.header("X-RateLimit-Limit")).isNull();
        given().header("X-Caller", "a").get("/quotes").then().statusCode(429);
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

    @Path("quotes")
    public static class Resource {
        @GET
        @RateLimited("quotes")
        public String quote() {
            return "ok";
        }
    }
}
