package org.acme.shadow;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.nullValue;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** A shadow policy counts and admits. */
@QuarkusTest
class ShadowTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Test
    void callsBeyondTheLimitAreAdmittedWithoutHeaders() {
        for (int call = 1; call <= 5; call++) {
            when().get("/trial").then().statusCode(200).header("RateLimit", nullValue())
                    .header("X-RateLimit-Limit", nullValue());
        }

        assertThat(redis.key().keys("*")).containsExactly("rate-limit:{ip=127.0.0.1}:trial:default");
    }

    @Test
    void codeIsToldWhatWouldHaveBeen() {
        limiters.get("trial").acquireAndAwait("203.0.113.7", 2);

        RateLimitDecision third = limiters.get("trial").acquireAndAwait("203.0.113.7");

        assertThat(third).returns(true, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted);
        assertThat(third.limits()).extracting(LimitState::allowed).containsExactly(false);
    }
}
