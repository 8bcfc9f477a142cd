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

/** A shadow policy counts, and allows every call. */
@QuarkusTest
class ShadowTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Test
    void callsBeyondTheLimitAreAllowedWithoutHeaders() {
        for (int call = 1; call <= 5; call++) {
            when().get("/trial").then().statusCode(200).header("RateLimit", nullValue())
                    .header("X-RateLimit-Limit", nullValue());
        }

        assertThat(redis.key().keys("*[^:]?")).containsExactly("rate-limit:{ip=127.0.0.1}:trial:default:tb1");
    }

    @Test
    void codeSeesTheDenyingLimit() {
        limiters.get("trial").forKey("203.0.113.7").acquireOrThrow(2);

        RateLimitDecision third = limiters.get("trial").forKey("203.0.113.7").tryAcquire();

        assertThat(third).returns(true, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted);
        assertThat(third.limits()).extracting(LimitState::allowed).containsExactly(false);
    }
}
