package io.quarkiverse.ratelimit.it;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.emptyString;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;

import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** What callers and operators see of limits. */
@QuarkusTest
@TestProfile(LocalRedisTest.Local.class)
class LimitsTest {

    private final String caller = UUID.randomUUID().toString();

    @ParameterizedTest
    @ValueSource(strings = { "thousand", "thousand-a-year", "thousand-sliding", "thousand-logged", "paced", "mixed",
            "ten-at-once" })
    void everyAlgorithmDecides(String policy) {
        given().header("Caller", caller).get("/limited/" + policy).then().statusCode(200)
                .header("RateLimit", startsWith('"' + policy));
    }

    @Test
    void sixthCallOfACallerIsDenied() {
        for (int left = 4; left >= 0; left--) {
            given().header("Caller", caller).get("/limited/five-for-each").then().statusCode(200)
                    .header("RateLimit", matchesPattern("\"five-for-each\";r=" + left + ";t=\\d+"));
        }

        // by Redis, then by the denial cache
        for (int call = 6; call <= 9; call++) {
            given().header("Caller", caller).get("/limited/five-for-each").then().statusCode(429)
                    .contentType("application/problem+json").header("Retry-After", not(emptyString()))
                    .body("'violated-policies'", hasItem("five-for-each"));
        }
        given().header("Caller", "not " + caller).get("/limited/five-for-each").then().statusCode(200);
    }

    @Test
    void fourthCallOfABeanIsDenied() {
        for (int call = 1; call <= 3; call++) {
            given().header("Caller", caller).get("/limited/mails").then().statusCode(200).body(is("sent"));
        }

        given().header("Caller", caller).get("/limited/mails").then().statusCode(429)
                .body("'violated-policies'", hasItem("three-for-each"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "injected", "built" })
    void fourthCallOfARestClientIsDenied(String client) {
        for (int call = 1; call <= 3; call++) {
            given().header("Caller", caller).get("/calls/" + client).then().statusCode(200).body(is("answer"));
        }

        given().header("Caller", caller).get("/calls/" + client).then().statusCode(429)
                .body("'violated-policies'", hasItem("three-for-each"));
        given().header("Caller", caller).get("/calls/unlimited").then().statusCode(200).body(is("answer"));
    }

    @Test
    void decisionsAreCounted() {
        given().header("Caller", caller).get("/limited/five-for-each");

        when().get("/q/metrics").then().statusCode(200).body(allOf(
                containsString("rate_limit_decisions_total{outcome=\"allowed\",policy=\"five-for-each\""),
                containsString("rate_limit_redis_seconds_count{result=\"ok\"}"), not(containsString(caller))));
    }
}
