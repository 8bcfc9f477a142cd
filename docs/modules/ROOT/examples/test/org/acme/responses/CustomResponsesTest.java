package org.acme.responses;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import org.acme.ExampleProfile;
import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The application's own mapper replaces the extension's response. */
@QuarkusTest
@TestProfile(ExampleProfile.OwnResponses.class)
class CustomResponsesTest extends FreshLimits {

    @Test
    void mapperReplacesTheResponse() {
        for (int call = 1; call <= 3; call++) {
            when().get("/quotes").then().statusCode(200);
        }

        when().get("/quotes").then().statusCode(429).body(matchesPattern("Come back in \\d+ s."))
                .header("Retry-After", Integer::parseInt, lessThanOrEqualTo(20)).header("Cache-Control", nullValue())
                .header("RateLimit", startsWith("\"quotes\";r=0;t="));
    }

    @Test
    void mapperMapsDeniedBeanCallsWithoutHeaders() {
        when().get("/mails");
        when().get("/mails");

        when().get("/mails").then().statusCode(429).body(matchesPattern("Come back in \\d+ s.")).header("RateLimit",
                nullValue());
    }
}
