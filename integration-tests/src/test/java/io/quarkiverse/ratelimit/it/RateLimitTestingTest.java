package io.quarkiverse.ratelimit.it;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

/** Tests reset all limits, and move the clock without sleeping. */
@QuarkusTest
class RateLimitTestingTest {

    @Inject
    RateLimitTesting limits;

    @Inject
    RateLimitAdmin admin;

    @Inject
    RateLimiters limiters;

    @Inject
    Warnings warnings;

    @Inject
    RedisDataSource redis;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @Test
    void resetClearsCounts() {
        useUp();

        limits.reset();

        assertThat(statusOfNext()).isEqualTo(200);
    }

    @Test
    void resetForgetsWhichKeysApproachedALimit() {
        int before = warnings.observed();
        assertThat(limiters.get("warned").forKey("alice").tryAcquire(8).allowed()).isTrue();

        limits.reset();
        assertThat(limiters.get("warned").forKey("alice").tryAcquire(8).allowed()).isTrue();

        await().until(() -> warnings.observed() >= before + 2);
    }

    @Test
    void resetRemovesOverridesAndAdvanceExpiresThem() {
        admin.policy("three-an-hour").override(Limit.tokenBucket(1).refill(1, Duration.ofHours(1)), Duration.ofMinutes(10));
        assertThat(statusOfNext()).isEqualTo(200);
        assertThat(statusOfNext()).isEqualTo(429);

        limits.reset();
        useUp();

        admin.policy("three-an-hour").override(Limit.tokenBucket(5).refill(5, Duration.ofHours(1)), Duration.ofMinutes(10));
        assertThat(statusOfNext()).isEqualTo(200);
        limits.advance(Duration.ofMinutes(10));
        assertThat(admin.policy("three-an-hour").limits().get("default").burst()).isEqualTo(3);
    }

    @Test
    void resetLeavesOtherKeysAlone() {
        redis.value(String.class).set("rate-limiting", "other");
        redis.value(String.class).set("rate-limit:other", "other");
        useUp();

        limits.reset();

        assertThat(redis.key().keys("rate-limit*")).containsExactlyInAnyOrder("rate-limiting", "rate-limit:other");
        redis.key().del("rate-limiting", "rate-limit:other");
    }

    @Test
    void advanceRefillsPermits() {
        useUp();

        limits.advance(Duration.ofMinutes(19).plusSeconds(30));
        assertThat(statusOfNext()).isEqualTo(429);

        limits.advance(Duration.ofSeconds(30));
        assertThat(statusOfNext()).isEqualTo(200);
        assertThat(statusOfNext()).isEqualTo(429);
    }

    @Test
    void clockIsRightAgainAfterReset() {
        limits.advance(Duration.ofDays(300));
        useUp();

        limits.reset();

        useUp();
    }

    @Test
    void clockCannotBeMovedBack() {
        assertThatThrownBy(() -> limits.advance(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    private static void useUp() {
        for (int status : new int[] { 200, 200, 200, 429 }) {
            assertThat(statusOfNext()).isEqualTo(status);
        }
    }

    private static int statusOfNext() {
        return when().get("/limited/three-an-hour").statusCode();
    }
}
