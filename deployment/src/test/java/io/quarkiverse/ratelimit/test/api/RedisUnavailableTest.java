package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.observe.Observed;
import io.quarkus.test.QuarkusUnitTest;

/** While Redis is unavailable, calls of code are decided by {@code on-redis-failure}. */
class RedisUnavailableTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(15);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Observed.class))
            .withConfiguration("""
                    quarkus.redis.hosts=redis://127.0.0.1:1
                    quarkus.rate-limit.replicas=2
                    quarkus.rate-limit.policies.local.permits=10
                    quarkus.rate-limit.policies.local.period=1h
                    quarkus.rate-limit.policies.waits.algorithm=sliding-log
                    quarkus.rate-limit.policies.waits.permits=2
                    quarkus.rate-limit.policies.waits.period=500ms
                    quarkus.rate-limit.policies.runs.algorithm=concurrency
                    quarkus.rate-limit.policies.runs.permits=2
                    quarkus.rate-limit.policies.allow.permits=2
                    quarkus.rate-limit.policies.allow.period=1h
                    quarkus.rate-limit.policies.allow.on-redis-failure=allow
                    quarkus.rate-limit.policies.deny.permits=2
                    quarkus.rate-limit.policies.deny.period=1h
                    quarkus.rate-limit.policies.deny.on-redis-failure=deny
                    quarkus.rate-limit.policies.shadow.permits=2
                    quarkus.rate-limit.policies.shadow.period=1h
                    quarkus.rate-limit.policies.shadow.mode=shadow
                    quarkus.rate-limit.policies.shadow.on-redis-failure=deny
                    quarkus.rate-limit.policies.off.permits=2
                    quarkus.rate-limit.policies.off.period=1h
                    quarkus.rate-limit.policies.off.enabled=false
                    """);

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    Observed observed;

    @Test
    void localLimitsAreThisInstancesShare() {
        RateLimiter local = limiters.get("local");

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
        assertThat(observed.of(() -> limiters.get("local").forKey("b").tryAcquire())).containsExactly("local allowed FALLBACK");
        assertThat(observed.of(() -> limiters.get("allow").forKey("b").tryAcquire())).containsExactly("allow allowed FALLBACK");
        assertThat(observed.of(() -> limiters.get("deny").forKey("b").tryAcquire())).containsExactly("deny denied FALLBACK");
    }

    @Test
    void callsWaitInMemory() {
        RateLimiter waits = limiters.get("waits");
        waits.forKey("a").tryAcquire();
        long before = System.nanoTime();
        Duration wait = waits.forKey("a").peek().retryAfter();

        assertThat(waits.forKey("a").tryAcquire(1, AT_ONCE)).returns(true, RateLimitDecision::allowed).returns(
                Source.FALLBACK, RateLimitDecision::source);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(wait);
    }

    @Test
    void concurrencyIsCountedInMemory() {
        RateLimiter runs = limiters.get("runs");
        RateLimitReservation first = runs.forKey("a").reserve(1);

        assertThat(runs.forKey("a").reserve(1).decision().allowed()).isFalse();
        first.cancel();

        assertThat(runs.forKey("a").reserve(1).decision().allowed()).isTrue();
    }

    @Test
    void whatOnlyRedisCanDoFailsWithAMessage() {
        assertThatThrownBy(() -> admin.override("allow", Limit.tokenBucket(9), Duration.ofHours(1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("not stored");
        assertThatThrownBy(() -> admin.removeOverride("allow")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not removed");
        assertThatThrownBy(() -> limiters.get("allow").forKey("a").reset()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("only in this instance");
    }

    @Test
    void everythingIsAllowedWithoutCounting() {
        RateLimiter allow = limiters.get("allow");

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
        assertThat(limiters.get("shadow").forKey("a").tryAcquire()).returns(true, RateLimitDecision::allowed)
                .returns(Source.FALLBACK, RateLimitDecision::source);
        assertThat(limiters.get("off").forKey("a").tryAcquire()).returns(true, RateLimitDecision::allowed)
                .returns(Source.NOT_LIMITED, RateLimitDecision::source);
    }

    @Test
    void everythingIsDeniedAtOnce() {
        RateLimiter deny = limiters.get("deny");

        for (RateLimitDecision denied : new RateLimitDecision[] { deny.forKey("a").tryAcquire(),
                deny.reactive().forKey("a").tryAcquire(1, Duration.ofHours(1)).await().atMost(AT_ONCE),
                deny.forKey("a").peek(),
                deny.forKey("a").reserve(1).decision() }) {
            assertThat(denied).returns(false, RateLimitDecision::allowed).returns(Source.FALLBACK,
                    RateLimitDecision::source).returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter);
        }
    }

    @Test
    void whatOnlyRedisCanDoFails() {
        assertThatThrownBy(() -> limiters.get("local").forKey("a").reset()).isNotNull();
        assertThatThrownBy(() -> admin.override("local", Limit.tokenBucket(5), Duration.ofHours(1))).isNotNull();
        assertThat(admin.limits("local").get("default").permits()).isEqualTo(10);
    }
}
