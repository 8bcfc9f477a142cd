package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;

class RateLimitExceptionTest {

    private static RateLimitDecision denial(Duration retryAfter) {
        return denial(retryAfter, DenialReason.LIMIT_REACHED);
    }

    private static RateLimitDecision denial(Duration retryAfter, DenialReason reason) {
        LimitState daily = new LimitUsage("daily", Limit.concurrency(3), false, 3, 0, Duration.ZERO, retryAfter, Duration.ZERO,
                Duration.ofDays(1));
        return Decision.recorded(StoreRequests.policy("logins", Limit.concurrency(1)), "ip=203.0.113.7", 0, 0,
                RateLimitDecision.Source.REDIS, List.of(daily), reason, Instant.EPOCH);
    }

    @Test
    void messageNamesPolicyLimitAndRetryAfter() {
        assertThat(new RateLimitExceededException(denial(Duration.ofSeconds(90))))
                .hasMessage("Rate limit exceeded: policy logins, limit daily, retry after 1 min 30 s");
        assertThat(new RateLimitExceededException(denial(Duration.ZERO)))
                .hasMessage("Rate limit exceeded: policy logins, limit daily, the call can never be allowed");
        assertThat(new RateLimitExceededException(denial(Duration.ZERO, DenialReason.MISSING_KEY)))
                .hasMessage("Rate limit exceeded: policy logins, a part of the caller's key is missing");
        assertThat(new RateLimitExceededException(denial(Duration.ofMinutes(3), DenialReason.BLOCKED)))
                .hasMessage("Rate limit exceeded: policy logins, the caller is blocked, retry after 3 min");
        assertThat(new RateLimitUnavailableException(denial(Duration.ofSeconds(1))))
                .hasMessage(
                        "Rate limit unavailable: policy logins cannot be decided while Redis is unavailable, retry after 1 s");
    }

    @Test
    void exceptionSuitsTheReasonOfTheDenial() {
        assertThat(RateLimitException.of(denial(Duration.ofSeconds(1), DenialReason.REDIS_UNAVAILABLE)))
                .isInstanceOf(RateLimitUnavailableException.class);
        assertThat(RateLimitException.of(denial(Duration.ofSeconds(1), DenialReason.BLOCKED)))
                .isInstanceOf(RateLimitExceededException.class);
        RateLimitDecision allowed = Decision.uncounted(StoreRequests.policy("logins", Limit.concurrency(1)), "", 1,
                RateLimitDecision.Source.REDIS, null);
        assertThatThrownBy(() -> RateLimitException.of(allowed)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The decision of policy logins allows the call.");
    }

    @Test
    void messageSurvivesSerialization() throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(new RateLimitUnavailableException(denial(Duration.ofSeconds(1))));
        }

        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat((Exception) in.readObject())
                    .hasMessageContaining("policy logins cannot be decided while Redis is unavailable");
        }
    }
}
