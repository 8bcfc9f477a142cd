package org.acme.callers;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.security.SecurityAttribute;
import io.quarkus.test.security.TestSecurity;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;

/** The key parts distinguish callers. */
@QuarkusTest
class CallersTest extends FreshLimits {

    @Inject
    @RateLimitPolicy("sign-in")
    RateLimiter signIn;

    @Test
    void everyUserHasItsOwnCount() {
        as("alice").get("/account").then().statusCode(200);
        as("alice").get("/account").then().statusCode(200);
        as("alice").get("/account").then().statusCode(429);

        as("bob").get("/account").then().statusCode(200);
        when().get("/account").then().statusCode(200);
        assertThat(keys()).containsExactlyInAnyOrder("rate-limit:{principal=alice}:account:default:tb1",
                "rate-limit:{principal=bob}:account:default:tb1", "rate-limit:{ip=127.0.0.1}:account:default:tb1");
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
                + "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb}:per-api-key:default:tb1");
    }

    @Test
    void everybodySharesOneCount() {
        withKey("a").get("/api/everybody").then().statusCode(200);
        withKey("b").get("/api/everybody").then().statusCode(200);

        withKey("c").get("/api/everybody").then().statusCode(429);
        assertThat(keys()).containsExactly("rate-limit:{everybody}:default:tb1");
    }

    @Test
    void everyMethodHasItsOwnCount() {
        withKey("a").get("/api/parcels").then().statusCode(200);
        withKey("a").get("/api/parcels").then().statusCode(200);
        withKey("a").get("/api/parcels").then().statusCode(429);

        withKey("a").get("/api/letters").then().statusCode(200);
        assertThat(keys()).contains("rate-limit:{method=org.acme.callers.ApiResource#letters()|header:x-api-key*"
                + "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb}:per-method:default:tb1");
    }

    @Test
    void everyTenantOfThePathHasItsOwnCount() {
        when().get("/api/tenants/acme/invoices").then().statusCode(200);
        when().get("/api/tenants/acme/invoices").then().statusCode(200);
        when().get("/api/tenants/acme/invoices").then().statusCode(429);

        when().get("/api/tenants/other/invoices").then().statusCode(200);
    }

    @Test
    void everyVisitorHasItsOwnCountForEveryIndex() {
        given().cookie("visitor", "a").get("/api/searches?index=books").then().statusCode(200);
        given().cookie("visitor", "a").get("/api/searches?index=books").then().statusCode(200);
        given().cookie("visitor", "a").get("/api/searches?index=books").then().statusCode(429);

        given().cookie("visitor", "a").get("/api/searches?index=films").then().statusCode(200);
        given().cookie("visitor", "b").get("/api/searches?index=books").then().statusCode(200);
    }

    @Test
    @TestSecurity(user = "alice", attributes = @SecurityAttribute(key = "subscription", value = "s-1"))
    void everySubscriptionHasItsOwnCount() {
        when().get("/api/subscriptions").then().statusCode(200);

        assertThat(keys()).singleElement().asString().matches("rate-limit:\\{claim:subscription\\*[0-9a-f]{64}}:.*");
    }

    @Test
    @TestSecurity(user = "alice")
    void userWithoutSubscriptionIsCountedByAddress() {
        when().get("/api/subscriptions").then().statusCode(200);
        when().get("/account").then().statusCode(200);

        assertThat(keys()).containsExactlyInAnyOrder("rate-limit:{ip=127.0.0.1}:per-subscription:default:tb1",
                "rate-limit:{principal=alice}:account:default:tb1");
    }

    @Test
    @TestSecurity(user = "alice@acme.com")
    void everyCompanyHasItsOwnCount() {
        when().get("/api/reports").then().statusCode(200);

        assertThat(keys()).singleElement().asString().matches("rate-limit:\\{bean:tenant\\*[0-9a-f]{64}}:.*");
    }

    @Test
    void everyNameHasItsOwnCount() {
        signIn("alice").then().statusCode(200);
        signIn("alice").then().statusCode(200);
        signIn("alice").then().statusCode(429).body("detail", startsWith("Policy sign-in is used up."));

        signIn("bob").then().statusCode(200);
        assertThat(keys()).hasSize(2).noneMatch(key -> key.contains("alice") || key.contains("bob"));
        signIn.forKey("alice").reset();
        signIn("alice").then().statusCode(200);
    }

    @Test
    void argumentIsTheCost() {
        given().formParam("rows", 900).post("/exports").then().statusCode(200);

        given().formParam("rows", 200).post("/exports").then().statusCode(429);
        given().formParam("rows", 0).post("/exports").then().statusCode(200)
                .header("RateLimit", startsWith("\"rows\";r=10"));
        given().formParam("rows", 100).post("/exports").then().statusCode(200);
    }

    @Test
    void missingCostIsZero() {
        given().formParam("rows", 1000).post("/exports").then().statusCode(200);

        given().formParam("lines", 1).post("/exports").then().statusCode(200).body(is("0 rows"));
        given().formParam("rows", 1).post("/exports").then().statusCode(429);
    }

    private static Response signIn(String user) {
        return given().formParam("user", user).formParam("password", "secret").post("/accounts/sign-in");
    }

    @Test
    void callerWithoutKeyIsDenied() {
        when().get("/api/keyed").then().statusCode(429).header("Retry-After", nullValue())
                .body("detail", is("Policy keyed cannot identify the caller."));

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
        return redis.key().keys("*[^:]?");
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }

    private static RequestSpecification withKey(String key) {
        return given().header("X-Api-Key", key);
    }
}
