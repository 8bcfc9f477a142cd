package io.quarkiverse.ratelimit.demo;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The README shows the code, the configuration and the responses of this application. */
@QuarkusTest
class ReadmeTest {

    private final String readme = read("../README.md");

    @Test
    void showsTheResource() {
        String source = read("src/main/java/io/quarkiverse/ratelimit/demo/QuoteResource.java");

        assertThat(readme).contains("```java\n" + source.substring(source.indexOf("import")) + "```");
    }

    @Test
    void showsTheConfiguration() {
        String configuration = read("src/main/resources/application.properties");

        assertThat(readme).contains("```properties\n" + configuration.substring(0, configuration.indexOf("\n\n") + 1) + "```");
    }

    @Test
    void showsWhatALimitCosts() {
        String measured = read("../docs/modules/ROOT/partials/performance-features.adoc");

        assertThat(readme).contains("serves " + requests(measured, "a limit") + " times the requests",
                requests(measured, "a limit with `store=memory`") + " times with `store=memory`");
    }

    private static String requests(String measured, String feature) {
        String row = measured.substring(measured.indexOf("\n|" + feature + "\n|") + feature.length() + 4);
        return row.substring(0, row.indexOf(' '));
    }

    @Test
    void showsTheResponses() {
        Response first = when().get("/quotes");
        when().get("/quotes").then().statusCode(200);
        when().get("/quotes").then().statusCode(200);
        Response denied = when().get("/quotes");

        assertThat(readme).contains(shown(first), shown(denied));
    }

    /** As printed, where seconds that passed between the calls do not count. */
    private static String shown(Response response) {
        StringBuilder shown = new StringBuilder(response.statusLine()).append('\n');
        for (String header : new String[] { "Retry-After", "RateLimit-Policy", "RateLimit" }) {
            if (response.header(header) != null) {
                shown.append(header).append(": ").append(response.header(header)).append('\n');
            }
        }
        return shown.toString().replaceAll("(t=|Retry-After: )1[5-9]\\b", "$120");
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
