package org.acme.costs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.acme.costs.Assistant.Completion;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;

/** The cost of a call is settled when it is known. */
@QuarkusTest
class AssistantTest extends FreshLimits {

    @Inject
    Assistant assistant;

    @Inject
    @RateLimitPolicy("tokens")
    RateLimiter limiter;

    @Test
    void unusedTokensAreRefunded() {
        complete("?");

        assertThat(left()).isEqualTo(900);
    }

    @Test
    void moreTokensAreChargedEvenBeyondTheLimit() {
        complete("Is it so?");
        assertThat(left()).isEqualTo(100);

        assertThatThrownBy(() -> complete("?")).isInstanceOf(RateLimitExceededException.class);
        limiter.forKey("alice").reset();
        complete("Why is it so?");
        assertThat(left()).isZero();
    }

    @Test
    void failureCostsNothing() {
        assertThatThrownBy(() -> complete("")).isInstanceOf(IllegalArgumentException.class);

        assertThat(left()).isEqualTo(1000);
    }

    @Test
    void chargeIsNeverDenied() {
        RateLimitDecision charged = assistant.chargeAfterwards("alice", new Completion(1500)).await().indefinitely();

        assertThat(charged.allowed()).isTrue();
        assertThat(charged.granted()).isEqualTo(1500);
        assertThat(left()).isZero();
        assertThat(limiter.forKey("alice").tryAcquire().retryAfter()).isGreaterThan(Duration.ofMinutes(29));
    }

    private void complete(String prompt) {
        assistant.complete("alice", prompt).await().indefinitely();
    }

    private long left() {
        return limiter.forKey("alice").peek().remaining();
    }
}
