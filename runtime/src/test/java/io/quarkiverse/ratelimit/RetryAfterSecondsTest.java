package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreRequests;

class RetryAfterSecondsTest {

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
        return new Decision(StoreRequests.policy("logins", Limit.concurrency(1)), "", allowed, 0,
                RateLimitDecision.Source.REDIS, 0, new Details("daily", 3, 0, Duration.ZERO, retryAfter, Duration.ofDays(1),
                        List.of(), null, Instant.EPOCH));
    }
}
