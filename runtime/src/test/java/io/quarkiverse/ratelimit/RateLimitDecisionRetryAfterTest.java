package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;

class RateLimitDecisionRetryAfterTest {

    @ParameterizedTest
    @CsvSource({ "PT0.000001S, 1", "PT0.999999S, 1", "PT1S, 1", "PT1.000001S, 2", "PT90S, 90", "PT0S, 1" })
    void isRoundedUpAndAtLeastOne(Duration retryAfter, long seconds) {
        assertThat(decision(false, retryAfter).retryAfterSeconds()).isEqualTo(seconds);
    }

    @Test
    void isZeroWhereThereIsNothingToWaitFor() {
        assertThat(decision(true, Duration.ZERO).retryAfterSeconds()).isZero();
    }

    private static RateLimitDecision decision(boolean allowed, Duration retryAfter) {
        LimitState daily = new LimitUsage("daily", Limit.concurrency(3), allowed, 3, 0, Duration.ZERO, retryAfter,
                Duration.ZERO, Duration.ofDays(1));
        return Decision.recorded(StoreRequests.policy("logins", Limit.concurrency(1)), "", 0, 0,
                RateLimitDecision.Source.REDIS, List.of(daily), allowed ? null : RateLimitDecision.DenialReason.LIMIT_REACHED,
                Instant.EPOCH);
    }
}
