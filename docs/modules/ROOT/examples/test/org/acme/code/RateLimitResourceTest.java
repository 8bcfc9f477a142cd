package org.acme.code;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.closeTo;
import static org.hamcrest.Matchers.equalTo;

import java.time.Duration;
import java.time.Instant;

import org.acme.FreshLimits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;

/** Callers see their own limits, which costs nothing. */
@QuarkusTest
class RateLimitResourceTest extends FreshLimits {

    @BeforeEach
    void allWindowsBeginNow() {
        limits.advance(Duration.ofSeconds(3600 - Instant.now().getEpochSecond() % 3600));
    }

    @Test
    void callersSeeWhatTheyHaveUsed() {
        as("alice").get("/repositories/search").then().statusCode(200);
        as("alice").get("/repositories/search").then().statusCode(200);

        for (int call = 0; call < 3; call++) {
            limits("alice", 2);
            limits("bob", 0);
        }
    }

    @Test
    void lookingCostsNothing() {
        limits("alice", 0);

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    private static void limits(String user, int used) {
        ValidatableResponse limits = as(user).get("/rate_limit").then().statusCode(200);
        limits.body("resources.core.limit", equalTo(5000))
                .body("resources.core.used", equalTo(used))
                .body("resources.core.remaining", equalTo(5000 - used))
                .body("resources.code_search.limit", equalTo(10))
                .body("resources.code_search.used", equalTo(used))
                .body("resources.code_search.remaining", equalTo(10 - used))
                .body("resources.code_search.reset.toDouble()", closeTo(Instant.now().getEpochSecond(), 120));
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }
}
