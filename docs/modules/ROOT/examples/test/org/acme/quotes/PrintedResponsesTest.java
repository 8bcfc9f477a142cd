package org.acme.quotes;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** "Getting started" shows the real responses of the application. */
@QuarkusTest
class PrintedResponsesTest extends FreshLimits {

    @Test
    void firstAndFourthResponseAreAsPrinted() throws IOException {
        Response first = when().get("/quotes");
        when().get("/quotes");
        when().get("/quotes");
        Response fourth = when().get("/quotes");

        assertThat(text(first)).isEqualTo(printed("quotes-allowed.txt"));
        assertThat(text(fourth)).isEqualTo(printed("quotes-denied.txt"));
        assertThat(reset(first)).isBetween(Instant.now(), Instant.now().plusSeconds(22));
        assertThat(reset(fourth)).isBetween(Instant.now().plusSeconds(40), Instant.now().plusSeconds(62));
    }

    /** As curl prints it, where seconds that passed between the calls do not count. */
    private static String text(Response response) {
        StringBuilder text = new StringBuilder(response.statusLine()).append('\n');
        response.headers().forEach(header -> text.append(header.getName() + ": " + header.getValue()).append('\n'));
        return text.append('\n').append(response.asString()).toString()
                .replaceAll("(t=|Retry-After: |Retry after )1?\\d\\b", "$120")
                .replaceAll("(Reset: )\\d{10}\\b", response.statusCode() == 200 ? "$11795179670" : "$11795179710");
    }

    private static Instant reset(Response response) {
        return Instant.ofEpochSecond(Long.parseLong(response.header("X-RateLimit-Reset")));
    }

    private static String printed(String file) throws IOException {
        return Files.readString(Path.of("modules/ROOT/examples/responses", file));
    }
}
