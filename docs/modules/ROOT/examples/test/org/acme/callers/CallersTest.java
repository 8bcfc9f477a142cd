package org.acme.callers;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.specification.RequestSpecification;

/** Callers are told apart by the parts of the key. */
@QuarkusTest
class CallersTest extends FreshLimits {

    @Test
    void everyUserHasItsOwnCount() {
        as("alice").get("/account").then().statusCode(200);
        as("alice").get("/account").then().statusCode(200);
        as("alice").get("/account").then().statusCode(429);

        as("bob").get("/account").then().statusCode(200);
        when().get("/account").then().statusCode(200);
        assertThat(keys()).containsExactlyInAnyOrder("rate-limit:{principal=alice}:account:default",
                "rate-limit:{principal=bob}:account:default", "rate-limit:{ip=127.0.0.1}:account:default");
    }

    @Test
    void exemptMethodHasNoHeaders() {
        when().get("/account/terms").then().statusCode(200).header("RateLimit", nullValue());

        assertThat(keys()).isEmpty();
    }

    @Test
    void everyApiKeyHasItsOwnCount() {
        withKey("a").get("/api/orders").then().statusCode(200);
        withKey("a").get("/api/orders").then().statusCode(200);
        withKey("a").get("/api/orders").then().statusCode(429);

        withKey("b").get("/api/orders").then().statusCode(200);
        assertThat(keys()).contains("rate-limit:{header:x-api-key*"
                + "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb}:orders:default");
    }

    @Test
    void everybodySharesOneCount() {
        withKey("a").get("/api/everybody").then().statusCode(200);
        withKey("b").get("/api/everybody").then().statusCode(200);

        withKey("c").get("/api/everybody").then().statusCode(429);
        assertThat(keys()).containsExactly("rate-limit:{everybody}:default");
    }

    @Test
    void everyMethodHasItsOwnCount() {
        withKey("a").get("/api/parcels").then().statusCode(200);
        withKey("a").get("/api/parcels").then().statusCode(200);
        withKey("a").get("/api/parcels").then().statusCode(429);

        withKey("a").get("/api/letters").then().statusCode(200);
        assertThat(keys()).contains("rate-limit:{method=org.acme.callers.ApiResource#letters()|header:x-api-key*"
                + "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb}:per-method:default");
    }

    @Test
    void callerWithoutKeyIsRefused() {
        when().get("/api/keyed").then().statusCode(429).header("Retry-After", nullValue())
                .body("detail", is("Policy keyed cannot tell who is calling."));

        withKey("a").get("/api/keyed").then().statusCode(200);
    }

    @Test
    void callerWithoutKeyIsNotLimited() {
        for (int call = 1; call <= 3; call++) {
            when().get("/api/optional").then().statusCode(200).header("RateLimit", nullValue());
        }

        assertThat(keys()).isEmpty();
    }

    private Iterable<String> keys() {
        return redis.key().keys("*");
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }

    private static RequestSpecification withKey(String key) {
        return given().header("X-Api-Key", key);
    }
}
