package org.acme.quotes;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

/** The edge cases of the reference of headers and statuses. */
@QuarkusTest
class HeadersTest extends FreshLimits {

    @Test
    void headCountsLikeGet() {
        when().head("/quotes").then().statusCode(200).header("X-RateLimit-Remaining", is("2"));
        when().get("/quotes").then().statusCode(200).header("X-RateLimit-Remaining", is("1"));
    }

    @Test
    void failureIsChargedAndHasHeaders() {
        when().get("/edge/fails").then().statusCode(500).header("RateLimit", startsWith("\"small\";r=1;t="));
    }

    @Test
    void costAboveTheCapacityIsNeverAllowed() {
        when().get("/edge/expensive").then().statusCode(429).header("Retry-After", nullValue())
                .header("RateLimit", is("\"small\";r=2"))
                .body("detail", is("The request costs more than policy small can ever allow."));

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    @Test
    void wrongPasswordAndWrongMethodCostNothing() {
        given().auth().preemptive().basic("alice", "wrong").get("/account").then().statusCode(401)
                .header("RateLimit", nullValue());
        when().delete("/quotes").then().statusCode(405).header("RateLimit", nullValue());

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    @Test
    void keyExpiresWhenTheLimitIsFull() {
        when().get("/quotes").then().statusCode(200);

        assertThat(redis.key().pttl("rate-limit:{ip=127.0.0.1}:quotes:default:tb1")).isBetween(1L, 20_002L);
    }
}
