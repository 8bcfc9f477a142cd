package io.quarkiverse.ratelimit.it.classic;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;

/** Configures small policies, and reads from responses how they count. */
final class Limits {

    private static final String PATH = "X-Path";

    private Limits() {
    }

    /** Policies that allow three requests per hour with the same header {@code X-Path}. */
    static String threeForEachPath(String... policies) {
        StringBuilder properties = new StringBuilder();
        for (String policy : policies) {
            properties.append(threeAnHour(policy, "header:" + PATH));
        }
        return properties.toString();
    }

    /** A policy, and a timeout for busy machines. */
    static String threeAnHour(String policy, String key) {
        return """
                quarkus.rate-limit.timeout=10s
                quarkus.rate-limit.policies.%1$s.permits=3
                quarkus.rate-limit.policies.%1$s.period=1h
                quarkus.rate-limit.policies.%1$s.key=%2$s
                """.formatted(policy, key);
    }

    /** Sends four requests to a path that was not called before: three acquire one permit each, the fourth is denied. */
    static void assertCountedOnce(String policy, String method, String path) {
        RequestSpecification request = given().header(PATH, path);
        if (method.equals("POST")) {
            request.contentType("text/plain").body("body");
        }

        for (int left = 2; left >= 0; left--) {
            Response allowed = request.request(method, path);
            assertThat(allowed.statusCode()).isLessThan(300);
            assertThat(left(allowed)).isEqualTo("\"" + policy + "\";r=" + left);
        }
        assertThat(request.request(method, path).statusCode()).isEqualTo(429);
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
