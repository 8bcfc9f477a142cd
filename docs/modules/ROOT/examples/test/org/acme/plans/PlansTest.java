package org.acme.plans;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.nullValue;

import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.specification.RequestSpecification;

/** Plans give callers other limits. */
@QuarkusTest
class PlansTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Test
    void rolesSelectThePlan() {
        permits(as("alice"), "/orders", "2");
        permits(as("sam"), "/orders", "5");
        permits(as("gwen"), "/orders", "20");
        permits(given(), "/orders", "2");
    }

    @Test
    void partnersAreNotLimited() {
        for (int call = 1; call <= 3; call++) {
            as("paul").get("/orders").then().statusCode(200).header("RateLimit", nullValue());
        }
        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    @Test
    void contractsSelectThePlansOfTenants() {
        given().header("X-Tenant", "acme").get("/orders/tenant").then().statusCode(200).header("RateLimit-Policy",
                matchesPattern("\"tenant-orders.minute\";q=60;w=60, \"tenant-orders.month\";q=100000;w=\\d+"));
        for (String tenant : new String[] { "umbrella", "unknown" }) {
            permits(given().header("X-Tenant", tenant), "/orders/tenant", "2");
        }
    }

    @Test
    void contractsSelectThePlansOfTenantsInCodeToo() {
        RateLimitDecision decision = limiters.get("tenant-orders").forKey("acme").tryAcquire();

        assertThat(decision.remaining()).isEqualTo(59);
    }

    @Test
    void auditorsAreExempt() {
        for (int call = 1; call <= 2; call++) {
            given().get("/audit").then().statusCode(200);
        }
        given().get("/audit").then().statusCode(429);

        as("audrey").get("/audit").then().statusCode(200).header("RateLimit", nullValue());
    }

    @Test
    void clientsWithSomeKeysAreExempt() {
        for (String exempt : List.of("monitoring", "8f3e-audit")) {
            for (int call = 1; call <= 3; call++) {
                given().header("X-Api-Key", exempt).get("/audit/feed").then().statusCode(200);
            }
        }
        for (int call = 1; call <= 2; call++) {
            given().header("X-Api-Key", "other").get("/audit/feed").then().statusCode(200);
        }
        given().header("X-Api-Key", "other").get("/audit/feed").then().statusCode(429);
    }

    private static void permits(RequestSpecification caller, String path, String permits) {
        caller.get(path).then().statusCode(200).header("X-RateLimit-Limit", is(permits));
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }
}
