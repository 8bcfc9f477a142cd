package io.quarkiverse.ratelimit.it;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.observe.LimiterMeters;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;

/** Prometheus metrics of decisions and of Redis. */
@QuarkusTest
class MetricsTest {

    private static final String DECISIONS = "rate_limit_decisions_total{outcome=\"%s\",policy=\"%s\",source=\"%s\"}";

    @Inject
    RateLimitTesting limits;

    @Inject
    RateLimiters limiters;

    @Inject
    LimiterMeters meters;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @Test
    void everyDecisionIsCountedByPolicyOutcomeAndSource() {
        double allowed = decisions("allowed", "three-an-hour", "redis");
        double byRedis = decisions("denied", "three-an-hour", "redis");
        double byDenialCache = decisions("denied", "three-an-hour", "denial_cache");

        for (int call = 1; call <= 6; call++) {
            when().get("/limited/three-an-hour").then().statusCode(call <= 3 ? 200 : 429);
        }

        assertThat(decisions("allowed", "three-an-hour", "redis") - allowed).isEqualTo(3);
        double deniedByRedis = decisions("denied", "three-an-hour", "redis") - byRedis;
        assertThat(deniedByRedis).isBetween(1.0, 3.0);
        assertThat(decisions("denied", "three-an-hour", "denial_cache") - byDenialCache).isEqualTo(3 - deniedByRedis);
    }

    @Test
    void expectedCountersStartAtZero() {
        assertThat(decisions("denied", "thousand", "fallback")).isZero();
        assertThat(value("rate_limit_fallbacks_total{policy=\"thousand\"}")).isZero();
        assertThat(metrics()).doesNotContain(DECISIONS.formatted("shadow-denied", "thousand", "redis"))
                .doesNotContain(DECISIONS.formatted("exempt", "thousand", "not_limited"));
    }

    @Test
    void lostRefundsAreCountedByPolicy() {
        String lost = "rate_limit_refunds_lost_total{policy=\"three-an-hour\"}";
        assertThat(value(lost)).isZero();

        meters.refundLost("three-an-hour");

        assertThat(value(lost)).isEqualTo(1);
    }

    @Test
    void approachedLimitIsCountedOncePerMinuteForAKey() {
        String approached = "rate_limit_approached_total{policy=\"warned\"}";
        double before = value(approached);
        assertThat(metrics()).doesNotContain("rate_limit_approached_total{policy=\"thousand\"}");

        limiters.get("warned").forKey("alice").tryAcquire(7);
        assertThat(value(approached) - before).isZero();
        for (int call = 8; call <= 10; call++) {
            limiters.get("warned").forKey("alice").tryAcquire();
        }

        assertThat(value(approached) - before).isEqualTo(1);
    }

    @Test
    void repliesOfRedisAreTimed() {
        double before = value("rate_limit_redis_seconds_count{result=\"ok\"}");

        when().get("/limited/thousand").then().statusCode(200);

        assertThat(value("rate_limit_redis_seconds_count{result=\"ok\"}") - before).isEqualTo(1);
        assertThat(value("rate_limit_redis_seconds_sum{result=\"ok\"}")).isPositive();
        for (String result : new String[] { "timeout", "unavailable", "error" }) {
            assertThat(value("rate_limit_redis_seconds_count{result=\"" + result + "\"}")).isNotNegative();
        }
    }

    @Test
    void createdLimitersAreCountedByNameUpToAHundred() {
        for (int made = 1; made <= 120; made++) {
            RateLimiter limiter = limiters.create("made-" + made, Limit.tokenBucket(5));
            limiter.forKey("alice").tryAcquire();
            limiter.forKey("alice").tryAcquire();
            limiter.forKey("alice").peek();
        }

        assertThat(decisions("allowed", "made-1", "redis")).isEqualTo(2);
        assertThat(metrics().lines()
                .filter(line -> line.startsWith("rate_limit_decisions_total{outcome=\"allowed\",policy=\"made-")))
                .hasSize(100);
        assertThat(decisions("allowed", "(others)", "redis")).isEqualTo(40);
    }

    @Test
    void noKeyIsShown() {
        limiters.get("three-for-each").forKey("somebody").tryAcquire();

        assertThat(metrics()).contains("three-for-each").doesNotContain("somebody");
    }

    private static double decisions(String outcome, String policy, String source) {
        return value(DECISIONS.formatted(outcome, policy, source));
    }

    private static double value(String meter) {
        return metrics().lines().filter(line -> line.startsWith(meter)).findFirst()
                .map(line -> Double.parseDouble(line.substring(meter.length() + 1).split(" ")[0])).orElseThrow();
    }

    private static String metrics() {
        return when().get("/q/metrics").then().statusCode(200).extract().asString();
    }
}
