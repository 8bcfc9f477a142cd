package org.acme.costs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.acme.costs.Assistant.Answer;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;

/** What a call costs is settled when it is known. */
@QuarkusTest
class AssistantTest extends FreshLimits {

    @Inject
    Assistant assistant;

    @Inject
    @RateLimitPolicy("tokens")
    RateLimiter limiter;

    @Test
    void whatAnAnswerCostLessIsGivenBack() {
        ask("?");

        assertThat(left()).isEqualTo(900);
    }

    @Test
    void whatAnAnswerCostMoreIsChargedEvenBeyondTheLimit() {
        ask("Is it so?");
        assertThat(left()).isEqualTo(100);

        assertThatThrownBy(() -> ask("?")).isInstanceOf(RateLimitExceededException.class);
        limiter.resetAndAwait("alice");
        ask("Why is it so?");
        assertThat(left()).isZero();
    }

    @Test
    void failureCostsNothing() {
        assertThatThrownBy(() -> ask("")).isInstanceOf(IllegalArgumentException.class);

        assertThat(left()).isEqualTo(1000);
    }

    @Test
    void chargeIsNeverRefused() {
        RateLimitDecision charged = assistant.askedElsewhere("alice", new Answer(1500)).await().indefinitely();

        assertThat(charged.allowed()).isTrue();
        assertThat(charged.granted()).isEqualTo(1500);
        assertThat(left()).isZero();
        assertThat(limiter.acquireAndAwait("alice").retryAfter()).isGreaterThan(Duration.ofMinutes(29));
    }

    private void ask(String question) {
        assistant.ask("alice", question).await().indefinitely();
    }

    private long left() {
        return limiter.peekAndAwait("alice").remaining();
    }
}
