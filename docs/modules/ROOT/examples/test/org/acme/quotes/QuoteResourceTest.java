package org.acme.quotes;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;

// tag::test[]
@QuarkusTest
class QuoteResourceTest {

    @Inject
    RateLimitTesting limits;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @Test
    void fourthCallIsDenied() {
        for (int call = 1; call <= 3; call++) {
            when().get("/quotes").then().statusCode(200);
        }

        when().get("/quotes").then().statusCode(429)
                .header("Retry-After", Integer::parseInt, lessThanOrEqualTo(20))
                .body("'violated-policies'", hasItem("quotes"));

        limits.advance(Duration.ofSeconds(20));

        when().get("/quotes").then().statusCode(200);
    }
}
// end::test[]
