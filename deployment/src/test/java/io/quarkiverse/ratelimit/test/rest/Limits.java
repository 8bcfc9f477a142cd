package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;

/** Configures small policies, and reads from responses how they count. */
final class Limits {

    private static final String PATH = "X-Path";

    private Limits() {
    }

    /** Policies that let three requests with the same header {@code X-Path} through in an hour. */
    static String threeForEachPath(String... policies) {
        StringBuilder properties = new StringBuilder();
        for (String policy : policies) {
            properties.append(threeAnHour(policy, "header:" + PATH));
        }
        return properties.toString();
    }

    /** A policy, and a timeout that a busy machine keeps. */
    static String threeAnHour(String policy, String key) {
        return """
                quarkus.rate-limit.timeout=10s
                quarkus.rate-limit.policies.%1$s.permits=3
                quarkus.rate-limit.policies.%1$s.period=1h
                quarkus.rate-limit.policies.%1$s.key=%2$s
                """.formatted(policy, key);
    }

    /** Sends two requests to a path without earlier requests: each acquires one of the policy's three permits. */
    static void assertCountedOnce(String policy, String method, String path) {
        RequestSpecification request = given().header(PATH, path);
        if (method.equals("POST")) {
            request.body("body");
        }

        assertThat(left(request.request(method, path))).isEqualTo("\"" + policy + "\";r=2");
        assertThat(left(request.request(method, path))).isEqualTo("\"" + policy + "\";r=1");
    }

    /** Expects this number of seconds, less what a slow test may have taken. */
    static void assertRetryAfter(long seconds, Response denied) {
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(Long.parseLong(denied.header("Retry-After"))).isBetween(seconds - 60, seconds);
    }

    static void assertUnlimited(Response response) {
        assertThat(response.statusCode()).isLessThan(300);
        assertThat(response.headers().asList())
                .noneMatch(header -> header.getName().toLowerCase().contains("ratelimit"));
    }

    /** The {@code RateLimit} header without its times. */
    static String left(Response response) {
        return response.header("RateLimit") == null ? null : response.header("RateLimit").replaceAll(";t=\\d+", "");
    }
}
