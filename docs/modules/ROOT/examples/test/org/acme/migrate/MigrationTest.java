package org.acme.migrate;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** Policies do what the limiters that they replace did. */
@QuarkusTest
class MigrationTest extends FreshLimits {

    @Inject
    Weather weather;

    @Inject
    Searches searches;

    @Inject
    RateLimiters limiters;

    @Test
    void limitsOfABucketAreCountedForEachMethodAndAddress() {
        for (int call = 1; call <= 3; call++) {
            when().get("/catalogue").then().statusCode(200);
        }

        when().get("/catalogue").then().statusCode(429).header("Retry-After", notNullValue())
                .body("'violated-policies'", is(List.of("catalogue.burst")));
        when().get("/catalogue/tea").then().statusCode(200);
    }

    @Test
    void callsKeepTheirSpacing() {
        assertThat(weather.today()).isEqualTo("sunny");

        assertThatThrownBy(weather::today).isInstanceOfSatisfying(RateLimitExceededException.class, denied -> {
            assertThat(denied.decision().limit()).isEqualTo("spacing");
            assertThat(denied.decision().retryAfter()).isPositive().isLessThanOrEqualTo(Duration.ofMinutes(1));
        });
        limits.advance(Duration.ofSeconds(30));
        assertThatThrownBy(weather::today).isInstanceOf(RateLimitExceededException.class);
        limits.advance(Duration.ofSeconds(30));
        assertThat(weather.today()).isEqualTo("sunny");
    }

    @Test
    void bucketOfBucket4jKeepsItsCapacityAndRateForEachApiKey() {
        given().header("X-Api-Key", "a").get("/searches").then().statusCode(200)
                .header("RateLimit-Policy", is("\"searches\";q=20;w=12")).header("X-RateLimit-Remaining", is("19"));
        limiters.get("searches").forKey("a").charge(1000);

        given().header("X-Api-Key", "a").get("/searches").then().statusCode(429).header("Retry-After", notNullValue());
        given().header("X-Api-Key", "b").get("/searches").then().statusCode(200);
    }

    @Test
    void bucketOfBucket4jCanBeMadeInCode() {
        for (int call = 1; call <= 4; call++) {
            assertThat(searches.mayExport("alice")).isTrue();
        }

        assertThat(searches.mayExport("alice")).isFalse();
    }
}
