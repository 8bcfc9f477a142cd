package org.acme.redis;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Without Redis each policy does as it says. */
@QuarkusTest
@TestProfile(RedisAwayTest.RedisAway.class)
class RedisAwayTest {

    @Test
    void refusingPolicyAnswers503() {
        when().get("/without-redis/logins").then().statusCode(503)
                .header("Retry-After", is("1")).header("Cache-Control", is("no-store"))
                .header("RateLimit", nullValue())
                .body("type", is("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"))
                .body("'violated-policies'", is(List.of("logins")));
    }

    @Test
    void allowingPolicyAdmitsWithoutHeaders() {
        for (int call = 1; call <= 5; call++) {
            when().get("/without-redis/news").then().statusCode(200).header("RateLimit", nullValue());
        }
    }

    @Test
    void localPolicyHasHalfOfItsLimitForEachOfTwoInstances() {
        when().get("/without-redis/local").then().statusCode(200).header("RateLimit-Policy", is("\"local\";q=2;w=60"));
        when().get("/without-redis/local").then().statusCode(200);

        when().get("/without-redis/local").then().statusCode(429);
    }

    public static class RedisAway extends ExampleProfile {
        public RedisAway() {
            super("redis-away.properties");
        }

        @Override
        public Map<String, String> getConfigOverrides() {
            return Stream.of(super.getConfigOverrides(), Map.of("quarkus.redis.hosts", "redis://127.0.0.1:1"))
                    .flatMap(map -> map.entrySet().stream())
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        }
    }
}
