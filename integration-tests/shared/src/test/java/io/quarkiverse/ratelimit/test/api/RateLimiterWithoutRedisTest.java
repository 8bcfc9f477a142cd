package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.fixtures.Observed;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** While Redis is unavailable, calls of code are decided by {@code on-redis-failure}. */
@QuarkusTest
@TestProfile(Profiles.WithoutRedis.class)
class RateLimiterWithoutRedisTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(15);

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    Observed observed;

    @Test
    void localLimitsAreThisInstancesShare() {
        RateLimiter local = limiters.get("fallback-local");

        RateLimitDecision acquired = local.forKey("a").tryAcquire(4);
        assertThat(acquired).returns(true, RateLimitDecision::allowed).returns(1L, RateLimitDecision::remaining)
                .returns(5L, RateLimitDecision::permits).returns(Source.FALLBACK, RateLimitDecision::source);
        assertThat(local.forKey("a").tryAcquire(2)).returns(false, RateLimitDecision::allowed)
                .returns(false, RateLimitDecision::neverAllowed);

        local.refund(acquired);
        local.refund(acquired);
        assertThat(local.forKey("a").peek().remaining()).isEqualTo(5);

        RateLimitReservation reservation = local.forKey("a").reserve(5);
        assertThat(reservation.settle(2)).returns(2L, RateLimitDecision::granted).returns(3L,
                RateLimitDecision::remaining);
    }

    @Test
    void observersGetTheSource() {
        assertThat(observed.of(() -> limiters.get("fallback-local").forKey("b").tryAcquire()))
                .containsExactly("fallback-local allowed FALLBACK");
        assertThat(observed.of(() -> limiters.get("fallback-allow").forKey("b").tryAcquire()))
                .containsExactly("fallback-allow allowed FALLBACK");
        assertThat(observed.of(() -> limiters.get("fallback-deny").forKey("b").tryAcquire()))
                .containsExactly("fallback-deny denied FALLBACK");
    }

    @Test
    void callsWaitInMemory() {
        RateLimiter waits = limiters.get("fallback-waits");
        waits.forKey("a").tryAcquire();
        long before = System.nanoTime();
        Duration wait = waits.forKey("a").peek().retryAfter();

        assertThat(waits.forKey("a").tryAcquire(1, AT_ONCE)).returns(true, RateLimitDecision::allowed).returns(
                Source.FALLBACK, RateLimitDecision::source);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(wait);
    }

    @Test
    void concurrencyIsCountedInMemory() {
        RateLimiter runs = limiters.get("fallback-runs");
        RateLimitReservation first = runs.forKey("a").reserve(1);

        assertThat(runs.forKey("a").reserve(1).decision().allowed()).isFalse();
        first.cancel();

        assertThat(runs.forKey("a").reserve(1).decision().allowed()).isTrue();
    }

    @Test
    void whatOnlyRedisCanDoFailsWithAMessage() {
        assertThatThrownBy(() -> admin.policy("fallback-allow").override(Limit.tokenBucket(9), Duration.ofHours(1)))
                .isInstanceOf(RateLimitUnavailableException.class)
                .hasMessageContaining("The override is not confirmed: Redis is unavailable. Try again.");
        assertThatThrownBy(() -> admin.policy("fallback-allow").removeOverride())
                .isInstanceOf(RateLimitUnavailableException.class)
                .hasMessageContaining("The removal of the override is not confirmed");
        assertThatThrownBy(() -> limiters.get("fallback-allow").forKey("a").reset())
                .isInstanceOf(RateLimitUnavailableException.class)
                .hasMessageStartingWith("The caller was reset only on this instance: ");
        assertThat(admin.policy("fallback-allow").limits().get("default").permits()).as("not overridden").isEqualTo(2);
    }

    @Test
    void everythingIsAllowedWithoutCounting() {
        RateLimiter allow = limiters.get("fallback-allow");

        for (int call = 0; call < 3; call++) {
            assertThat(allow.forKey("a").tryAcquire(2)).returns(true, RateLimitDecision::allowed).returns(Source.FALLBACK,
                    RateLimitDecision::source);
        }
        assertThat(allow.forKey("a").tryAcquire(2, Duration.ofHours(1)).allowed()).isTrue();
        assertThat(allow.forKey("a").tryAcquireUpTo(7).granted()).isEqualTo(7);
        allow.refund(allow.forKey("a").tryAcquire());
        assertThat(allow.forKey("a").reserve(1).settle(5).granted()).isEqualTo(5);
    }

    @Test
    void onlyPoliciesThatAreEnabledFallBack() {
        assertThat(limiters.get("fallback-shadow").forKey("a").tryAcquire()).returns(true, RateLimitDecision::allowed)
                .returns(Source.FALLBACK, RateLimitDecision::source);
        assertThat(limiters.get("fallback-off").forKey("a").tryAcquire()).returns(true, RateLimitDecision::allowed)
                .returns(Source.NOT_LIMITED, RateLimitDecision::source);
    }

    @Test
    void everythingIsDeniedAtOnce() {
        RateLimiter deny = limiters.get("fallback-deny");

        for (RateLimitDecision denied : new RateLimitDecision[] { deny.forKey("a").tryAcquire(),
                deny.reactive().forKey("a").tryAcquire(1, Duration.ofHours(1)).await().atMost(AT_ONCE),
                deny.forKey("a").peek(),
                deny.forKey("a").reserve(1).decision() }) {
            assertThat(denied).returns(false, RateLimitDecision::allowed).returns(Source.FALLBACK,
                    RateLimitDecision::source).returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter);
        }
    }

    @Test
    void blockHoldsOnThisInstance() {
        for (String policy : new String[] { "fallback-local", "fallback-allow", "fallback-deny" }) {
            RateLimiter limiter = limiters.get(policy).forKey("blocked");

            assertThatThrownBy(() -> limiter.block(Duration.ofHours(1))).isInstanceOf(RateLimitUnavailableException.class)
                    .hasMessageStartingWith("The key is blocked only on this instance: ");

            assertThat(limiter.tryAcquire()).returns(DenialReason.BLOCKED, denied -> denied.denialReason().orElseThrow())
                    .returns(0L, RateLimitDecision::remaining);
            assertThat(admin.policy(policy).blocked()).extracting(BlockedKey::key).containsExactly(limiter.peek().key());
            assertThatThrownBy(limiter::unblock).isInstanceOf(RateLimitUnavailableException.class);
            assertThat(limiter.tryAcquire().denialReason()).isNotEqualTo(Optional.of(DenialReason.BLOCKED));
        }
    }
}
