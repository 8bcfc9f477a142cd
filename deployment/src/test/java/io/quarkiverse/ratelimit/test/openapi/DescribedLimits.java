package io.quarkiverse.ratelimit.test.openapi;

import static io.restassured.RestAssured.given;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.shrinkwrap.api.spec.JavaArchive;

import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.path.json.JsonPath;

/** An application with SmallRye OpenAPI, and the description of each operation in its document. */
record DescribedLimits(JsonPath document) {

    static QuarkusUnitTest application(Class<?>... resources) {
        return new QuarkusUnitTest()
                .setForcedDependencies(List.of(
                        Dependency.of("io.quarkus", "quarkus-smallrye-openapi-deployment", Version.getVersion())))
                .withApplicationRoot(jar -> add(jar, resources))
                .withConfiguration("""
                        quarkus.redis.hosts=redis://127.0.0.1:1
                        quarkus.rate-limit.policies.quotes.permits=10
                        quarkus.rate-limit.policies.quotes.period=1m
                        quarkus.rate-limit.policies.quotes.key=global
                        """);
    }

    private static void add(JavaArchive jar, Class<?>... resources) {
        jar.addClass(DescribedLimits.class).addClasses(resources);
    }

    /** As it is served. */
    static DescribedLimits served() {
        return new DescribedLimits(given().queryParam("format", "json").get("/q/openapi").jsonPath());
    }

    Set<String> statuses(String method, String path) {
        return responses(method, path).keySet();
    }

    /** The names of the headers of the response, none where it has no headers. */
    Set<String> headers(String method, String path, String status) {
        Map<String, Object> headers = document.getMap(operation(method, path) + ".responses.'" + status + "'.headers");
        return headers == null ? Set.of() : headers.keySet();
    }

    Map<String, Object> responses(String method, String path) {
        return document.getMap(operation(method, path) + ".responses");
    }

    private static String operation(String method, String path) {
        return "paths.'" + path + "'." + method;
    }
}
