package org.acme;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** With the configuration of the skill, logins fail closed, and others count locally. */
@QuarkusTest
@TestProfile(SkillWithoutRedisTest.Profile.class)
class SkillWithoutRedisTest {

    public static class Profile extends ExampleProfile.InProduction {
        @Override
        public Map<String, String> getConfigOverrides() {
            Map<String, String> overrides = new HashMap<>(super.getConfigOverrides());
            overrides.put("quarkus.redis.hosts", "redis://127.0.0.1:1");
            return overrides;
        }
    }

    @Test
    void loginsFailClosed() {
        given().contentType("application/json").body(Map.of("user", "alice", "password", "secret")).post("/sign-in").then()
                .statusCode(503);
    }

    @Test
    void eachOfThreeInstancesCountsItsShare() {
        when().get("/quotes").then().statusCode(200);
        when().get("/quotes").then().statusCode(429);
    }
}
