package org.acme.redis;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Without Redis each policy falls back as configured. */
@QuarkusTest
@TestProfile(ExampleProfile.RedisUnavailable.class)
class RedisUnavailableTest {

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void policyThatFailsClosedIsA503() {
        when().get("/without-redis/logins").then().statusCode(503)
                .header("Retry-After", is("1")).header("Cache-Control", is("no-store"))
                .header("RateLimit", nullValue())
                .body("type", is("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"))
                .body("'violated-policies'", is(List.of("logins")));
    }

    @Test
    void policyThatFailsOpenAllowsWithoutHeaders() {
        for (int call = 1; call <= 5; call++) {
            when().get("/without-redis/news").then().statusCode(200).header("RateLimit", nullValue());
        }
    }

    @Test
    void localPolicyAllowsHalfOfItsLimitOnEachOfTwoInstances() {
        when().get("/without-redis/local").then().statusCode(200).header("RateLimit-Policy", is("\"local\";q=2;w=60"));
        when().get("/without-redis/local").then().statusCode(200);

        when().get("/without-redis/local").then().statusCode(429);
    }

    @Test
    void codeGetsTheDecisionOfTheFallback() {
        RateLimitDecision denied = limiters.get("logins").forKey("203.0.113.7").tryAcquire();
        assertThat(denied).returns(false, RateLimitDecision::allowed).returns(Source.FALLBACK, RateLimitDecision::source)
                .returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter).returns(List.of(), RateLimitDecision::limits);
        assertThat(limiters.get("logins").forKey("203.0.113.7").charge(1).allowed()).isFalse();

        assertThat(limiters.get("news").forKey("203.0.113.7").tryAcquire()).returns(true, RateLimitDecision::allowed)
                .returns(1L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining)
                .returns(List.of(), RateLimitDecision::limits);

        RateLimitDecision local = limiters.get("local").forKey("203.0.113.7").tryAcquire();
        assertThat(local).returns(1L, RateLimitDecision::remaining).returns(2L, RateLimitDecision::permits);
        limiters.get("local").refund(local);
        assertThat(limiters.get("local").forKey("203.0.113.7").peek().remaining()).isEqualTo(2);
    }

    @Test
    void resetAndOverrideFail() {
        assertThatThrownBy(() -> limiters.get("local").forKey("203.0.113.7").reset())
                .isInstanceOf(RateLimitUnavailableException.class);
        assertThatThrownBy(() -> admin.policy("local").override(Limit.tokenBucket(1), Duration.ofHours(1)))
                .isInstanceOf(RateLimitUnavailableException.class);
    }
}
