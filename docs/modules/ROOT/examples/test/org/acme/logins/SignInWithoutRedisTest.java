package org.acme.logins;

import static io.restassured.RestAssured.given;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Logins fail closed, so nobody can guess passwords during an outage. */
@QuarkusTest
@TestProfile(SignInWithoutRedisTest.RedisUnavailable.class)
class SignInWithoutRedisTest {

    @Test
    void loginsAreUnavailable() {
        given().formParam("user", "alice").formParam("password", "secret").post("/sign-in").then().statusCode(503);
    }

    public static class RedisUnavailable implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.hosts", "redis://127.0.0.1:1");
        }
    }
}
