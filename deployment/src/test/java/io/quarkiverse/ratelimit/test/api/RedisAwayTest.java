package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.observe.Told;
import io.quarkus.test.QuarkusUnitTest;

/** While Redis is away code is answered by {@code on-redis-failure}. */
class RedisAwayTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(15);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Told.class))
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
                    quarkus.rate-limit.policies.refuse.permits=2
                    quarkus.rate-limit.policies.refuse.period=1h
                    quarkus.rate-limit.policies.refuse.on-redis-failure=deny
                    """);

    @Inject
    RateLimiters limiters;

    @Inject
    Told told;

    @Test
    void localLimitsAreThisInstancesShare() {
        RateLimiter local = limiters.get("local");

        RateLimitDecision taken = local.acquireAndAwait("a", 4);
        assertThat(taken).returns(true, RateLimitDecision::allowed).returns(1L, RateLimitDecision::remaining)
                .returns(5L, RateLimitDecision::permits).returns(Source.FALLBACK, RateLimitDecision::source);
        assertThat(local.acquireAndAwait("a", 2)).returns(false, RateLimitDecision::allowed)
                .returns(false, RateLimitDecision::neverAllowed);

        local.refundAndAwait(taken);
        local.refundAndAwait(taken);
        assertThat(local.peekAndAwait("a").remaining()).isEqualTo(5);

        RateLimitReservation reservation = local.reserveAndAwait("a", 5);
        assertThat(reservation.settleAndAwait(2)).returns(2L, RateLimitDecision::granted).returns(3L,
                RateLimitDecision::remaining);
    }

    @Test
    void observersAreToldWhoDecided() {
        assertThat(told.of(() -> limiters.get("local").acquireAndAwait("b"))).containsExactly("local allowed FALLBACK");
        assertThat(told.of(() -> limiters.get("allow").acquireAndAwait("b"))).containsExactly("allow allowed FALLBACK");
        assertThat(told.of(() -> limiters.get("refuse").acquireAndAwait("b"))).containsExactly("refuse refused FALLBACK");
    }

    @Test
    void callsWaitInMemory() {
        RateLimiter waits = limiters.get("waits");
        waits.acquireAndAwait("a");
        long before = System.nanoTime();
        Duration wait = waits.peekAndAwait("a").retryAfter();

        assertThat(waits.acquireAndAwait("a", 1, AT_ONCE)).returns(true, RateLimitDecision::allowed).returns(
                Source.FALLBACK, RateLimitDecision::source);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(wait);
    }

    @Test
    void concurrencyIsCountedInMemory() {
        RateLimiter runs = limiters.get("runs");
        RateLimitReservation first = runs.reserveAndAwait("a", 1);

        assertThat(runs.reserveAndAwait("a", 1).decision().allowed()).isFalse();
        first.cancelAndAwait();

        assertThat(runs.reserveAndAwait("a", 1).decision().allowed()).isTrue();
    }

    @Test
    void whatOnlyRedisCanDoFailsAndSaysSo() {
        assertThatThrownBy(() -> limiters.overrideAndAwait("allow", Limit.tokenBucket(9), Duration.ofHours(1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("not stored");
        assertThatThrownBy(() -> limiters.removeOverrideAndAwait("allow")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not removed");
        assertThatThrownBy(() -> limiters.get("allow").resetAndAwait("a")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("only in this instance");
    }

    @Test
    void everythingIsAllowedWithoutCounting() {
        RateLimiter allow = limiters.get("allow");

        for (int call = 0; call < 3; call++) {
            assertThat(allow.acquireAndAwait("a", 2)).returns(true, RateLimitDecision::allowed).returns(Source.FALLBACK,
                    RateLimitDecision::source);
        }
        assertThat(allow.acquireAndAwait("a", 2, Duration.ofHours(1)).allowed()).isTrue();
        assertThat(allow.acquireUpToAndAwait("a", 7).granted()).isEqualTo(7);
        allow.refundAndAwait(allow.acquireAndAwait("a"));
        assertThat(allow.reserveAndAwait("a", 1).settleAndAwait(5).granted()).isEqualTo(5);
    }

    @Test
    void onlyPoliciesThatAreEnabledFallBack() {
        assertThat(limiters.get("shadow").acquireAndAwait("a")).returns(true, RateLimitDecision::allowed)
                .returns(Source.FALLBACK, RateLimitDecision::source);
        assertThat(limiters.get("off").acquireAndAwait("a")).returns(true, RateLimitDecision::allowed)
                .returns(Source.NOT_LIMITED, RateLimitDecision::source);
    }

    @Test
    void everythingIsRefusedAtOnce() {
        RateLimiter refuse = limiters.get("refuse");

        for (RateLimitDecision refused : new RateLimitDecision[] { refuse.acquireAndAwait("a"),
                refuse.acquire("a", 1, Duration.ofHours(1)).await().atMost(AT_ONCE), refuse.peekAndAwait("a"),
                refuse.reserveAndAwait("a", 1).decision() }) {
            assertThat(refused).returns(false, RateLimitDecision::allowed).returns(Source.FALLBACK,
                    RateLimitDecision::source).returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter);
        }
    }

    @Test
    void whatOnlyRedisCanDoFails() {
        assertThatThrownBy(() -> limiters.get("local").resetAndAwait("a")).isNotNull();
        assertThatThrownBy(() -> limiters.overrideAndAwait("local", Limit.tokenBucket(5), Duration.ofHours(1))).isNotNull();
        assertThat(limiters.limits("local").get("default").permits()).isEqualTo(10);
    }
}
