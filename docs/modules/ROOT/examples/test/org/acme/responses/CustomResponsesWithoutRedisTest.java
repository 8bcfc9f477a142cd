package org.acme.responses;

import static io.restassured.RestAssured.when;

import java.util.Map;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** A mapper of {@code RateLimitExceededException} does not map {@code RateLimitUnavailableException}. */
@QuarkusTest
@TestProfile(CustomResponsesWithoutRedisTest.CustomResponsesWithoutRedis.class)
class CustomResponsesWithoutRedisTest {

    @Test
    void unavailableRedisIsStill503() {
        when().get("/without-redis/logins").then().statusCode(503);
    }

    public static class CustomResponsesWithoutRedis extends ExampleProfile.OwnResponses {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.hosts", "redis://127.0.0.1:1");
        }
    }
}
