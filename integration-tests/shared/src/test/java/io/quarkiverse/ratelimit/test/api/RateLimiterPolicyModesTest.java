package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** A policy in shadow mode, or one that is not enabled, allows every call of code. */
@QuarkusTest
class RateLimiterPolicyModesTest {

    @Inject
    RateLimiters limiters;

    @Test
    void shadowPolicyCountsAndAllowsEverything() {
        RateLimiter shadow = limiters.get("code-shadow");

        assertThat(shadow.forKey("a").tryAcquire(2)).returns(true, RateLimitDecision::allowed)
                .returns(0L, RateLimitDecision::remaining).returns(2L, RateLimitDecision::granted);
        assertThat(shadow.forKey("a").tryAcquire()).returns(true, RateLimitDecision::allowed)
                .returns(0L, RateLimitDecision::remaining).returns(Duration.ZERO, RateLimitDecision::retryAfter);
        assertThat(shadow.forKey("a").tryAcquire(1, Duration.ofDays(1)).allowed()).isTrue();
        assertThat(shadow.forKey("a").tryAcquire(3).allowed()).isTrue();
        assertThat(shadow.forKey("a").peek().allowed()).isTrue();
        assertThat(shadow.forKey("a").tryAcquireUpTo(5).allowed()).isTrue();
    }

    @Test
    void shadowPolicyDelaysNothing() {
        RateLimiter paced = limiters.get("code-paced");
        paced.forKey("a").tryAcquire();

        RateLimitDecision early = paced.forKey("a").tryAcquire();

        assertThat(early).returns(1L, RateLimitDecision::granted).returns(Duration.ZERO, RateLimitDecision::delay);
        assertThat(early.limits().get(0).delay()).isPositive();
    }

    @Test
    void permitsThatAShadowPolicyDidNotAcquireAreNotRefunded() {
        RateLimiter shadow = limiters.get("code-shadow");
        shadow.forKey("b").tryAcquire();

        shadow.refund(shadow.forKey("b").tryAcquire(2));
        shadow.forKey("b").reserve(2).cancel();

        assertThat(shadow.forKey("b").peek().remaining()).isEqualTo(1);
    }

    @Test
    void settlingWhatAShadowPolicyWouldHaveDeniedIsNotCharged() {
        RateLimiter shadow = limiters.get("code-shadow").forKey("settled");
        shadow.tryAcquire(2);
        Duration full = shadow.peek().limits().get(0).resetAfter();

        assertThat(shadow.reserve(2).settle(2).granted()).isEqualTo(2);
        shadow.reservation(shadow.reserve(1).id()).settle(2);

        assertThat(shadow.peek().limits().get(0).resetAfter()).isLessThanOrEqualTo(full);
    }

    @Test
    void shadowConcurrencyAllowsEverything() {
        RateLimiter tried = limiters.get("code-tried");
        RateLimitReservation first = tried.forKey("a").reserve(1);

        assertThat(tried.forKey("a").reserve(1).decision().allowed()).isTrue();
        first.cancel();
        assertThat(tried.forKey("a").peek().remaining()).isEqualTo(1);
    }

    @Test
    void disabledPolicyCountsNothing() {
        RateLimiter off = limiters.get("code-off");

        for (int call = 0; call < 3; call++) {
            assertThat(off.forKey("a").tryAcquire(2)).returns(true, RateLimitDecision::allowed)
                    .returns(2L, RateLimitDecision::permits).returns(2L, RateLimitDecision::remaining);
        }
        RateLimitReservation reservation = off.forKey("a").reserve(2);
        assertThat(reservation.settle(5)).returns(true, RateLimitDecision::allowed).returns(5L,
                RateLimitDecision::granted);
        off.refund(off.forKey("a").charge(7));
        assertThat(off.forKey("a").peek().allowed()).isTrue();
        assertThatThrownBy(() -> off.forKey("a").tryAcquire(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
