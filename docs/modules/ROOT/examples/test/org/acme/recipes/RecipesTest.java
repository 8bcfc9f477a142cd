package org.acme.recipes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import java.time.Duration;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;

/** Limits for what a limit alone does not say. */
@QuarkusTest
class RecipesTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void jobsLeaveTheLastPermitsToPeople() {
        for (int call = 1; call <= 2; call++) {
            stock("nightly").statusCode(200);
        }
        stock("nightly").statusCode(429);

        for (int call = 1; call <= 3; call++) {
            stock("alice").statusCode(200);
        }
        stock("alice").statusCode(429);
    }

    @Test
    void overrideOfAShadowPolicyTriesOtherNumbers() {
        for (int call = 1; call <= 2; call++) {
            assertThat(trial().limits().get(0).allowed()).isTrue();
        }
        assertThat(trial().limits().get(0).allowed()).isFalse();

        admin.policy("trial").override(Limit.tokenBucket(4).refill(4, Duration.ofMinutes(1)), Duration.ofHours(1));
        assertThat(trial().limits().get(0).allowed()).isTrue();

        admin.policy("trial").removeOverride();
        assertThat(trial()).returns(true, RateLimitDecision::allowed);
    }

    @Test
    void answerIsCheaperBeyondTheLimit() {
        for (int call = 1; call <= 2; call++) {
            given().get("/recipes/recommendations").then().statusCode(200).body(is("made for you"));
        }
        given().get("/recipes/recommendations").then().statusCode(200).body(is("bestsellers"));
    }

    private RateLimitDecision trial() {
        return limiters.get("trial").forKey("203.0.113.9").tryAcquire();
    }

    private static ValidatableResponse stock(String user) {
        return given().auth().preemptive().basic(user, user).get("/recipes/stock").then();
    }
}
