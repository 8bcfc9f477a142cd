package io.quarkiverse.ratelimit.it;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.operate.observe.LimiterMeters;
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
        double byDenialCache = decisions("denied", "three-an-hour", "denial-cache");

        for (int call = 1; call <= 6; call++) {
            when().get("/limited/three-an-hour").then().statusCode(call <= 3 ? 200 : 429);
        }

        assertThat(decisions("allowed", "three-an-hour", "redis") - allowed).isEqualTo(3);
        double deniedByRedis = decisions("denied", "three-an-hour", "redis") - byRedis;
        assertThat(deniedByRedis).isBetween(1.0, 3.0);
        assertThat(decisions("denied", "three-an-hour", "denial-cache") - byDenialCache).isEqualTo(3 - deniedByRedis);
    }

    @Test
    void callThatAnOverflowPaysIsCountedByBothPolicies() {
        RateLimiter limiter = limiters.get("one-then-others").forKey("alice");
        assertThat(decisions("overflow", "one-then-others", "fallback")).isZero();
        double overflows = decisions("overflow", "one-then-others", "redis");
        double paid = decisions("allowed", "one-more", "redis");
        double denied = decisions("denied", "one-more", "redis");

        for (int call = 1; call <= 3; call++) {
            limiter.tryAcquire();
        }

        assertThat(decisions("overflow", "one-then-others", "redis") - overflows).isEqualTo(1);
        assertThat(decisions("allowed", "one-more", "redis") - paid).isEqualTo(1);
        assertThat(decisions("denied", "one-more", "redis") - denied).isEqualTo(1);
        assertThat(decisions("denied", "one-then-others", "redis")).isZero();
    }

    @Test
    void valuesOfTagsAreSpelledWithDashes() {
        for (Effect effect : Effect.values()) {
            meters.decided("three-for-each", effect, null);
        }

        List<String> values = metrics().lines().filter(line -> line.startsWith("rate_limit_"))
                .flatMap(line -> Pattern.compile("=\"([^\"]*)\"").matcher(line).results().map(tag -> tag.group(1))).toList();
        assertThat(values).contains("denial-cache", "not-limited", "shadow-denied").noneMatch(value -> value.contains("_"));
    }

    @Test
    void expectedCountersStartAtZero() {
        assertThat(decisions("denied", "thousand", "fallback")).isZero();
        assertThat(value("rate_limit_fallbacks_total{policy=\"thousand\"}")).isZero();
        assertThat(metrics()).doesNotContain(DECISIONS.formatted("shadow-denied", "thousand", "redis"))
                .doesNotContain(DECISIONS.formatted("exempt", "thousand", "not-limited"));
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
