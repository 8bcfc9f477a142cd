package org.acme.responses;

import static io.restassured.RestAssured.when;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** A mapper of {@code RateLimitExceededException} does not map {@code RateLimitUnavailableException}. */
@QuarkusTest
@TestProfile(ExampleProfile.ClusterUnavailable.class)
class CustomResponsesWithoutRedisTest {

    @Test
    void unavailableRedisIsStill503() {
        when().get("/without-redis/logins").then().statusCode(503);
    }
}
