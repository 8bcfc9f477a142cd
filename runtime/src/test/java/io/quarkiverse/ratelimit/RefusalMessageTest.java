package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

class RefusalMessageTest {

    private static RateLimitDecision refusal(Duration retryAfter) {
        return new RateLimitDecision("logins", "daily", "ip=203.0.113.7", false, 3, 0, 0, Duration.ZERO, retryAfter,
                Duration.ofDays(1), RateLimitDecision.Source.REDIS, List.of(), Instant.EPOCH, 0);
    }

    @Test
    void saysWhichPolicyRefusedForHowLong() {
        assertThat(new RateLimitExceededException(refusal(Duration.ofSeconds(90))))
                .hasMessage("Rate limit exceeded: policy logins, limit daily, retry after PT1M30S");
        assertThat(new RateLimitExceededException(refusal(Duration.ZERO)))
                .hasMessage("Rate limit exceeded: policy logins, limit daily, the call can never be admitted");
        assertThat(new RateLimitUnavailableException(refusal(Duration.ofSeconds(1))))
                .hasMessage("Rate limit cannot be decided while Redis is away: policy logins, retry after PT1S");
    }

    @Test
    void isStillSaidElsewhere() throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(new RateLimitUnavailableException(refusal(Duration.ofSeconds(1))));
        }

        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat((Exception) in.readObject()).hasMessageContaining("while Redis is away: policy logins");
        }
    }
}
