package org.acme.logins;

import static io.restassured.RestAssured.given;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Nobody guesses while nothing can be counted. */
@QuarkusTest
@TestProfile(SignInWithoutRedisTest.RedisAway.class)
class SignInWithoutRedisTest {

    @Test
    void loginsAreUnavailable() {
        given().formParam("user", "alice").formParam("password", "secret").post("/sign-in").then().statusCode(503);
    }

    public static class RedisAway implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.hosts", "redis://127.0.0.1:1");
        }
    }
}
