package org.acme.apikeys;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Customers with an API key have the limits of their plan; keys that nobody has bypass nothing. */
@QuarkusTest
class ApiKeysTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Test
    void customersHaveTheLimitsOfTheirPlan() {
        tides("u5v6").then().statusCode(200).header("X-RateLimit-Limit", is("2"));
        tides("a1b2").then().statusCode(200).header("X-RateLimit-Limit", is("60"));
    }

    @Test
    void apiKeysOfACustomerCountTogether() {
        limiters.get("tides").forKey("acme").charge(1000);

        tides("a1b2").then().statusCode(429);
        tides("a3b4").then().statusCode(429);
    }

    @Test
    void inventedApiKeysShareTheLimitOfTheirAddress() {
        assertThat(IntStream.rangeClosed(1, 12).mapToObj(key -> tides("invented" + key).statusCode()))
                .startsWith(401, 401).filteredOn(status -> status == 429).hasSize(10);
        tides("u5v6").then().statusCode(200);
    }

    @Test
    void inventedValuesOfAHeaderThatNothingVerifiesAreNewCallers() {
        for (int key = 1; key <= 12; key++) {
            given().header("X-Api-Key", "invented" + key).get("/api/orders").then().statusCode(200);
        }
    }

    @Test
    void customersSeeTheirOwnLimit() {
        for (int call = 1; call <= 3; call++) {
            given().header("X-Api-Key", "u5v6").get("/tides/limit").then().statusCode(200)
                    .body("limit", is(2), "remaining", is(2));
        }
        limiters.get("tides").forKey("acme").charge(1000);

        given().header("X-Api-Key", "a3b4").get("/tides/limit").then().statusCode(200)
                .body("limit", is(60), "remaining", is(0));
    }

    @Test
    void operatorsFindCustomersByName() {
        assertThat(limiters.get("tides").forKey("acme").peek().permits()).isEqualTo(60);
        assertThat(limiters.get("tides").forKey("nobody").peek().permits()).isEqualTo(2);
    }

    private static Response tides(String apiKey) {
        return given().header("X-Api-Key", apiKey).get("/tides");
    }
}
