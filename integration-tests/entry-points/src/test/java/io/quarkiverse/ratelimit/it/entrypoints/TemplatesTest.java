package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.startsWith;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.junit.QuarkusTest;

/** A denied call of a template fails the page as a denied call of any bean. */
@QuarkusTest
class TemplatesTest extends FreshLimits {

    @ParameterizedTest
    @CsvSource({ "saying, Festina lente.", "forecast, Sunny." })
    void secondPageIsDenied(String page, String text) {
        when().get("/pages/" + page).then().statusCode(200).body(equalTo(text));
        when().get("/pages/" + page).then().statusCode(429).header("Retry-After", "3600")
                .body("detail", startsWith("Policy pages is used up."));
    }

    @Test
    void methodWithAPlainResultNeedsAPageOnAWorker() {
        when().get("/pages/saying-on-event-loop").then().statusCode(500);
    }
}
