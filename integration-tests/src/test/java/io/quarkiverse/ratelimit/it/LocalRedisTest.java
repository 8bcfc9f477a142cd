package io.quarkiverse.ratelimit.it;

import static org.hamcrest.Matchers.is;

import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;

@QuarkusTest
@TestProfile(LocalRedisTest.Local.class)
class LocalRedisTest {

    @Test
    void applicationStartsWithAnEmptyRedis() {
        RestAssured.post("/redis/count").then().statusCode(200).body(is("1"));
    }

    public static class Local implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.devservices.enabled", "false");
        }
    }
}
