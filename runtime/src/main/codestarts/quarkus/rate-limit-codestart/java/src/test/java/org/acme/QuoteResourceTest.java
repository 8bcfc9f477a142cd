package org.acme;

import static io.restassured.RestAssured.when;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class QuoteResourceTest {

    @Inject
    RateLimitTesting limits;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @Test
    void fourthCallWithinAMinuteIsDenied() {
        for (int call = 1; call <= 3; call++) {
            when().get("/quotes").then().statusCode(200);
        }

        when().get("/quotes").then().statusCode(429);

        limits.advance(Duration.ofMinutes(1));
        when().get("/quotes").then().statusCode(200);
    }
}
