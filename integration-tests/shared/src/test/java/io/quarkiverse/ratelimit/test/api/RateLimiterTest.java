package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkus.test.junit.QuarkusTest;

/** Code acquires permits of a policy, peeks, charges and refunds. */
@QuarkusTest
class RateLimiterTest {

    @Inject
    @RateLimitPolicy("code-ten")
    RateLimiter ten;

    @Inject
    @RateLimitPolicy("two-parts")
    RateLimiter twoParts;

    @Inject
    RateLimiters limiters;

    @Test
    void acquireIsAllOrNothing() {
        assertThat(ten.forKey("all").tryAcquire(7)).returns(true, RateLimitDecision::allowed)
                .returns(3L, RateLimitDecision::remaining).returns(7L, RateLimitDecision::granted)
                .returns(10L, RateLimitDecision::permits).returns("code-ten", RateLimitDecision::policy)
                .returns(Source.REDIS, RateLimitDecision::source).returns(Duration.ZERO, RateLimitDecision::retryAfter);

        RateLimitDecision denied = ten.forKey("all").tryAcquire(4);

        assertThat(denied).returns(false, RateLimitDecision::allowed).returns(3L, RateLimitDecision::remaining)
                .returns(0L, RateLimitDecision::granted);
        assertThat(denied.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        assertThat(ten.forKey("all").tryAcquire(11).neverAllowed()).isTrue();
        assertThat(ten.forKey("another").tryAcquire().remaining()).isEqualTo(9);
    }

    @Test
    void acquireUpToAcquiresWhatThereIs() {
        assertThat(ten.forKey("upTo").tryAcquireUpTo(7).granted()).isEqualTo(7);
        assertThat(ten.forKey("upTo").tryAcquireUpTo(7)).returns(true, RateLimitDecision::allowed)
                .returns(3L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);

        RateLimitDecision none = ten.forKey("upTo").tryAcquireUpTo(7);

        assertThat(none).returns(false, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted);
        assertThat(none.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    }

    @Test
    void peekChangesNothing() {
        ten.forKey("peek").tryAcquire(9);

        assertThat(ten.forKey("peek").peek()).returns(true, RateLimitDecision::allowed)
                .returns(1L, RateLimitDecision::remaining).returns(0L, RateLimitDecision::granted);
        assertThat(ten.forKey("peek").tryAcquire().allowed()).isTrue();
        assertThat(ten.forKey("peek").peek().allowed()).isFalse();
    }

    @Test
    void chargeGoesBeyondTheLimit() {
        assertThat(ten.forKey("charge").charge(15)).returns(true, RateLimitDecision::allowed)
                .returns(15L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);

        assertThat(ten.forKey("charge").tryAcquire().retryAfter()).isBetween(Duration.ofMinutes(359), Duration.ofHours(6));
    }

    @Test
    void refundCountsOnce() {
        RateLimitDecision acquired = ten.forKey("refund").tryAcquire(10);

        ten.refund(acquired);
        assertThat(ten.forKey("refund").tryAcquire(4).remaining()).isEqualTo(6);
        ten.refund(acquired);

        assertThat(ten.forKey("refund").peek().remaining()).isEqualTo(6);
        assertThatThrownBy(() -> twoParts.refund(acquired)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("policy code-ten");
        RateLimitDecision copy = (RateLimitDecision) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { RateLimitDecision.class }, (proxy, method, arguments) -> method.invoke(acquired, arguments));
        assertThatThrownBy(() -> ten.refund(copy)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(" cannot be refunded. Pass the decision that a limiter returned.");
    }

    @Test
    void aReservationIsSettledOrCanceledOnce() {
        RateLimitReservation less = ten.forKey("settle").reserve(5);
        assertThat(less.settle(2)).returns(2L, RateLimitDecision::granted).returns(8L, RateLimitDecision::remaining);
        less.cancel();
        assertThat(ten.forKey("settle").peek().remaining()).isEqualTo(8);

        RateLimitReservation more = ten.forKey("settle").reserve(1);
        RateLimitDecision settled = more.settle(9);
        assertThat(settled).returns(9L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);
        ten.refund(settled);
        ten.refund(more.decision());

        RateLimitReservation denied = ten.forKey("settle").reserve(1);
        assertThat(denied.decision().allowed()).isFalse();
        denied.cancel();
        assertThat(ten.forKey("settle").peek().allowed()).isFalse();
    }

    @Test
    void canceledReservationRefundsAll() {
        RateLimitReservation reservation = ten.forKey("cancel").reserve(10);
        assertThat(ten.forKey("cancel").peek().allowed()).isFalse();

        reservation.cancel();

        assertThat(ten.forKey("cancel").peek().remaining()).isEqualTo(10);
    }

    @Test
    void reservationCanceledBeforeItsDecisionIsRefunded() {
        List<ReactiveRateLimitReservation> sooner = new CopyOnWriteArrayList<>();

        for (int i = 0; i < 40; i++) {
            ten.reactive().forKey("canceled" + i).reserve(10).subscribe().with(sooner::add).cancel();
        }

        await().atMost(Duration.ofSeconds(20)).until(() -> {
            sooner.forEach(reservation -> reservation.cancel().await().indefinitely());
            return IntStream.range(0, 40).allMatch(i -> ten.forKey("canceled" + i).peek().remaining() == 10);
        });
    }

    @Test
    void resetRemovesTheUsage() {
        ten.forKey("reset").tryAcquire(10);

        ten.forKey("reset").reset();

        assertThat(ten.forKey("reset").peek().remaining()).isEqualTo(10);
    }

    @Test
    void aKeyHasAsManyValuesAsThePolicyHasParts() {
        assertThat(twoParts.forKey("GET /quotes", "alice").tryAcquire().allowed()).isTrue();
        assertThat(twoParts.forKey("GET /quotes", "bob").tryAcquire().allowed()).isTrue();
        assertThat(twoParts.forKey("GET /quotes", "alice").tryAcquire().allowed()).isFalse();

        assertThatThrownBy(() -> twoParts.forKey("alice").tryAcquire()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 parts");
    }

    @Test
    void argumentsOutOfRangeFail() {
        assertThatThrownBy(() -> ten.forKey("a").tryAcquire(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cost");
        assertThatThrownBy(() -> ten.forKey("a").tryAcquire(1, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("maxWait");
        assertThatThrownBy(() -> limiters.get("eleven")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.join(", ", limiters.policies()));
        assertThatThrownBy(() -> limiters.create("code-ten", Limit.tokenBucket(1))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("configured");
    }

    @Test
    void nullIsReportedByName() {
        Map<String, Limit> noName = new HashMap<>();
        noName.put(null, Limit.tokenBucket(1));
        Map<String, ThrowingCallable> mistakes = Map.of(
                "the key of policy code-ten is required", () -> ten.forKey((String[]) null),
                "each value of the key of policy two-parts is required", () -> twoParts.forKey("alice", null),
                "maxWait is required", () -> ten.forKey("a").tryAcquire(1, null),
                "the decision to refund is required", () -> ten.refund(null),
                "limit is required", () -> limiters.create("new", (Limit) null),
                "limits is required", () -> limiters.create("new", (Map<String, Limit>) null));

        mistakes.forEach((message, call) -> assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message + ", but is null"));
        assertThatThrownBy(() -> limiters.create("new", noName)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a valid name of a limit");
        assertThatThrownBy(() -> limiters.create(null, Limit.tokenBucket(1))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a valid name of a limiter");
    }

    @Test
    void aLimiterIsMadeWithoutConfiguration() {
        RateLimiter made = limiters.create("demo", Limit.tokenBucket(10).refill(1, Duration.ofMinutes(1)));

        assertThat(made.forKey("alice").tryAcquire(4).remaining()).isEqualTo(6);
        assertThat(limiters.create("demo", Limit.tokenBucket(10).refill(1, Duration.ofHours(1))).forKey("alice").peek()
                .remaining())
                .isEqualTo(6);
    }
}
