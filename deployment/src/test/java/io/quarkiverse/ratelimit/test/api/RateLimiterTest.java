package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** Code asks a policy for permits, looks at it, charges it and gives back. */
class RateLimiterTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.rate-limit.timeout", "5s")
            .overrideConfigKey("quarkus.rate-limit.policies.ten.permits", "10")
            .overrideConfigKey("quarkus.rate-limit.policies.ten.period", "10h")
            .overrideConfigKey("quarkus.rate-limit.policies.two-parts.permits", "1")
            .overrideConfigKey("quarkus.rate-limit.policies.two-parts.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.two-parts.key", "method,principal");

    @Inject
    @RateLimitPolicy("ten")
    RateLimiter ten;

    @Inject
    @RateLimitPolicy("two-parts")
    RateLimiter twoParts;

    @Inject
    RateLimiters limiters;

    @Test
    void acquireTakesAllOrNothing() {
        assertThat(ten.acquireAndAwait("all", 7)).returns(true, RateLimitDecision::allowed)
                .returns(3L, RateLimitDecision::remaining).returns(7L, RateLimitDecision::granted)
                .returns(10L, RateLimitDecision::permits).returns("ten", RateLimitDecision::policy)
                .returns(Source.REDIS, RateLimitDecision::source).returns(Duration.ZERO, RateLimitDecision::retryAfter);

        RateLimitDecision refused = ten.acquireAndAwait("all", 4);

        assertThat(refused).returns(false, RateLimitDecision::allowed).returns(3L, RateLimitDecision::remaining)
                .returns(0L, RateLimitDecision::granted);
        assertThat(refused.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        assertThat(ten.acquireAndAwait("all", 11).neverAllowed()).isTrue();
        assertThat(ten.acquireAndAwait("another").remaining()).isEqualTo(9);
    }

    @Test
    void acquireUpToTakesWhatThereIs() {
        assertThat(ten.acquireUpToAndAwait("upTo", 7).granted()).isEqualTo(7);
        assertThat(ten.acquireUpToAndAwait("upTo", 7)).returns(true, RateLimitDecision::allowed)
                .returns(3L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);

        RateLimitDecision none = ten.acquireUpToAndAwait("upTo", 7);

        assertThat(none).returns(false, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted);
        assertThat(none.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    }

    @Test
    void peekChangesNothing() {
        ten.acquireAndAwait("peek", 9);

        assertThat(ten.peekAndAwait("peek")).returns(true, RateLimitDecision::allowed)
                .returns(1L, RateLimitDecision::remaining).returns(0L, RateLimitDecision::granted);
        assertThat(ten.acquireAndAwait("peek").allowed()).isTrue();
        assertThat(ten.peekAndAwait("peek").allowed()).isFalse();
    }

    @Test
    void chargeGoesBeyondTheLimit() {
        assertThat(ten.chargeAndAwait("charge", 15)).returns(true, RateLimitDecision::allowed)
                .returns(15L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);

        assertThat(ten.acquireAndAwait("charge").retryAfter()).isBetween(Duration.ofMinutes(359), Duration.ofHours(6));
    }

    @Test
    void aRefundGivesBackOnce() {
        RateLimitDecision taken = ten.acquireAndAwait("refund", 10);

        ten.refundAndAwait(taken);
        assertThat(ten.acquireAndAwait("refund", 4).remaining()).isEqualTo(6);
        ten.refundAndAwait(taken);

        assertThat(ten.peekAndAwait("refund").remaining()).isEqualTo(6);
        assertThatThrownBy(() -> twoParts.refundAndAwait(taken)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("policy ten");
    }

    @Test
    void aReservationIsSettledOrCancelledOnce() {
        RateLimitReservation less = ten.reserveAndAwait("settle", 5);
        assertThat(less.settleAndAwait(2)).returns(2L, RateLimitDecision::granted).returns(8L, RateLimitDecision::remaining);
        less.cancelAndAwait();
        assertThat(ten.peekAndAwait("settle").remaining()).isEqualTo(8);

        RateLimitReservation more = ten.reserveAndAwait("settle", 1);
        assertThat(more.settleAndAwait(9)).returns(9L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);

        RateLimitReservation refused = ten.reserveAndAwait("settle", 1);
        assertThat(refused.decision().allowed()).isFalse();
        refused.cancelAndAwait();
        assertThat(ten.peekAndAwait("settle").allowed()).isFalse();
    }

    @Test
    void aCancelledReservationGivesBackAll() {
        RateLimitReservation reservation = ten.reserveAndAwait("cancel", 10);
        assertThat(ten.peekAndAwait("cancel").allowed()).isFalse();

        reservation.cancelAndAwait();

        assertThat(ten.peekAndAwait("cancel").remaining()).isEqualTo(10);
    }

    @Test
    void resetForgetsWhatWasUsed() {
        ten.acquireAndAwait("reset", 10);

        ten.resetAndAwait("reset");

        assertThat(ten.peekAndAwait("reset").remaining()).isEqualTo(10);
    }

    @Test
    void aKeyHasAsManyValuesAsThePolicyHasParts() {
        assertThat(twoParts.acquireAndAwait(CallerKey.of("GET /quotes", "alice")).allowed()).isTrue();
        assertThat(twoParts.acquireAndAwait(CallerKey.of("GET /quotes", "bob")).allowed()).isTrue();
        assertThat(twoParts.acquireAndAwait(CallerKey.of("GET /quotes", "alice")).allowed()).isFalse();

        assertThatThrownBy(() -> twoParts.acquireAndAwait("alice")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 parts");
    }

    @Test
    void argumentsOutOfRangeFail() {
        assertThatThrownBy(() -> ten.acquireAndAwait("a", 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cost");
        assertThatThrownBy(() -> ten.acquireAndAwait("a", 1, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("maxWait");
        assertThatThrownBy(() -> limiters.get("eleven")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ten, two-parts");
        assertThatThrownBy(() -> limiters.of("ten", Limit.tokenBucket(1))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("configured");
    }

    @Test
    void aLimiterIsMadeWithoutConfiguration() {
        RateLimiter made = limiters.of("demo", Limit.tokenBucket(10).refill(1, Duration.ofMinutes(1)));

        assertThat(made.acquireAndAwait("alice", 4).remaining()).isEqualTo(6);
        assertThat(limiters.of("demo", Limit.tokenBucket(10).refill(1, Duration.ofHours(1))).peekAndAwait("alice").remaining())
                .isEqualTo(6);
    }
}
