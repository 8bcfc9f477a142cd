package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** A policy that is only tried, or not enabled, admits everything that code asks. */
class PolicyModesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.shadow.permits=2
                    quarkus.rate-limit.policies.shadow.period=1h
                    quarkus.rate-limit.policies.shadow.mode=shadow
                    quarkus.rate-limit.policies.paced.permits=1
                    quarkus.rate-limit.policies.paced.period=1h
                    quarkus.rate-limit.policies.paced.max-wait=1d
                    quarkus.rate-limit.policies.paced.mode=shadow
                    quarkus.rate-limit.policies.tried.algorithm=concurrency
                    quarkus.rate-limit.policies.tried.permits=1
                    quarkus.rate-limit.policies.tried.mode=shadow
                    quarkus.rate-limit.policies.off.permits=2
                    quarkus.rate-limit.policies.off.period=1h
                    quarkus.rate-limit.policies.off.enabled=false
                    """);

    @Inject
    RateLimiters limiters;

    @Test
    void shadowPolicyCountsAndAdmitsEverything() {
        RateLimiter shadow = limiters.get("shadow");

        assertThat(shadow.acquireAndAwait("a", 2)).returns(true, RateLimitDecision::allowed)
                .returns(0L, RateLimitDecision::remaining).returns(2L, RateLimitDecision::granted);
        assertThat(shadow.acquireAndAwait("a")).returns(true, RateLimitDecision::allowed)
                .returns(0L, RateLimitDecision::remaining).returns(Duration.ZERO, RateLimitDecision::retryAfter);
        assertThat(shadow.acquireAndAwait("a", 1, Duration.ofDays(1)).allowed()).isTrue();
        assertThat(shadow.acquireAndAwait("a", 3).allowed()).isTrue();
        assertThat(shadow.peekAndAwait("a").allowed()).isTrue();
        assertThat(shadow.acquireUpToAndAwait("a", 5).allowed()).isTrue();
    }

    @Test
    void shadowPolicyHoldsNothingBack() {
        RateLimiter paced = limiters.get("paced");
        paced.acquireAndAwait("a");

        RateLimitDecision early = paced.acquireAndAwait("a");

        assertThat(early).returns(1L, RateLimitDecision::granted).returns(Duration.ZERO, RateLimitDecision::delay);
        assertThat(early.limits().get(0).delay()).isPositive();
    }

    @Test
    void whatAShadowPolicyDidNotTakeIsNotGivenBack() {
        RateLimiter shadow = limiters.get("shadow");
        shadow.acquireAndAwait("b");

        shadow.refundAndAwait(shadow.acquireAndAwait("b", 2));
        shadow.reserveAndAwait("b", 2).cancelAndAwait();

        assertThat(shadow.peekAndAwait("b").remaining()).isEqualTo(1);
    }

    @Test
    void shadowConcurrencyAdmitsEverything() {
        RateLimiter tried = limiters.get("tried");
        RateLimitReservation first = tried.reserveAndAwait("a", 1);

        assertThat(tried.reserveAndAwait("a", 1).decision().allowed()).isTrue();
        first.cancelAndAwait();
        assertThat(tried.peekAndAwait("a").remaining()).isEqualTo(1);
    }

    @Test
    void disabledPolicyCountsNothing() {
        RateLimiter off = limiters.get("off");

        for (int call = 0; call < 3; call++) {
            assertThat(off.acquireAndAwait("a", 2)).returns(true, RateLimitDecision::allowed)
                    .returns(2L, RateLimitDecision::permits).returns(2L, RateLimitDecision::remaining);
        }
        RateLimitReservation reservation = off.reserveAndAwait("a", 2);
        assertThat(reservation.settleAndAwait(5)).returns(true, RateLimitDecision::allowed).returns(5L,
                RateLimitDecision::granted);
        off.refundAndAwait(off.chargeAndAwait("a", 7));
        assertThat(off.peekAndAwait("a").allowed()).isTrue();
        assertThatThrownBy(() -> off.acquireAndAwait("a", 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
