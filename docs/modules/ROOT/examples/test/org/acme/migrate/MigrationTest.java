package org.acme.migrate;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** Policies do what the limiters that they replace did. */
@QuarkusTest
class MigrationTest extends FreshLimits {

    @Inject
    Weather weather;

    @Inject
    Uploads uploads;

    @Inject
    Searches searches;

    @Inject
    Partner partner;

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
    void bucketOfTheGuideHoldsTenAndGetsOneAMinute() {
        for (int left = 9; left >= 0; left--) {
            assertThat(uploads.upload("alice")).isEqualTo(left + " left");
            assertThat(uploads.mayDownload("alice")).isTrue();
        }

        assertThat(uploads.upload("alice")).startsWith("again in ");
        assertThat(uploads.mayDownload("alice")).isFalse();
        assertThat(uploads.upload("bob")).isEqualTo("9 left");
        limits.advance(Duration.ofMinutes(1));
        assertThat(uploads.upload("alice")).isEqualTo("0 left");
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

    @Test
    void callsOfThePartnerWaitUpToHalfASecond() {
        RateLimiter all = limiters.get("partner");
        all.charge(14);

        RateLimitDecision next = all.tryAcquire();
        assertThat(next.allowed()).isTrue();
        assertThat(next.delay()).isLessThanOrEqualTo(Duration.ofMillis(500));
        all.charge(1000);
        assertThatThrownBy(() -> partner.quote("tea")).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void routeOfTheSpringGatewayAllowsItsBurstAndDeniesRequestsWithoutKey() {
        given().header("X-Api-Key", "a").get("/goods/tea").then().statusCode(404)
                .header("X-RateLimit-Limit", is("20"));

        when().get("/goods/tea").then().statusCode(429).header("Retry-After", nullValue());
    }
}
