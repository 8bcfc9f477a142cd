package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** A refund returns permits to where they were acquired, for every algorithm that has refunds. */
@QuarkusTest
class RateLimiterRefundTest {

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration PERIOD = Duration.ofDays(100);

    @Inject
    RateLimiters limiters;

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void refundReturnsAcquiredPermitsOnce(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision first = limiter.forKey("a").tryAcquire(3);
        RateLimitDecision second = limiter.forKey("a").tryAcquire(4);

        limiter.refund(second);
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(7);
        limiter.refund(second);
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(7);

        limiter.refund(first);
        assertThat(limiter.forKey("a").peek()).returns(10L, RateLimitDecision::remaining)
                .returns(Duration.ZERO, RateLimitDecision::resetAfter);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void concurrentRefundsOfADecisionCountOnce(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision first = limiter.forKey("a").tryAcquire(2);
        limiter.forKey("a").tryAcquire(8);

        List<CompletableFuture<Void>> refunds = Stream.generate(() -> CompletableFuture
                .runAsync(() -> limiter.refund(first))).limit(8).toList();
        refunds.forEach(CompletableFuture::join);

        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void decisionsThatAcquiredNothingRefundNothing(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision peeked = limiter.forKey("a").peek();
        limiter.forKey("a").tryAcquire(8);
        RateLimitDecision denied = limiter.forKey("a").tryAcquire(3);
        RateLimitDecision impossible = limiter.forKey("a").tryAcquire(11);

        limiter.refund(peeked);
        limiter.refund(denied);
        limiter.refund(impossible);

        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void permitsOfOtherOperationsAreRefundedToo(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        limiter.forKey("a").tryAcquire(4);

        RateLimitDecision upTo = limiter.forKey("a").tryAcquireUpTo(9);
        assertThat(upTo).returns(6L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);
        limiter.refund(upTo);
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(6);

        RateLimitDecision charged = limiter.forKey("a").charge(9);
        assertThat(charged).returns(true, RateLimitDecision::allowed).returns(9L, RateLimitDecision::granted);
        assertThat(limiter.forKey("a").peek().remaining()).isZero();
        limiter.refund(charged);
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void resetComesBeforeARefund(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision before = limiter.forKey("a").tryAcquire(5);

        limiter.forKey("a").reset();
        limiter.refund(before);

        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(10);
        assertThat(limiter.forKey("a").tryAcquire(10).allowed()).isTrue();
        assertThat(limiter.forKey("a").tryAcquire().allowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void reservationIsSettledWithTheRealCost(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));

        RateLimitReservation less = limiter.forKey("a").reserve(6);
        assertThat(less.decision()).returns(6L, RateLimitDecision::granted).returns(4L, RateLimitDecision::remaining);
        assertThat(less.settle(2)).returns(2L, RateLimitDecision::granted).returns(8L, RateLimitDecision::remaining);
        assertThat(less.settle(9)).returns(0L, RateLimitDecision::granted).returns(8L, RateLimitDecision::remaining);
        less.cancel();
        limiter.refund(less.decision());
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(8);

        RateLimitReservation same = limiter.forKey("a").reserve(2);
        assertThat(same.settle(2)).returns(2L, RateLimitDecision::granted).returns(6L, RateLimitDecision::remaining);

        RateLimitReservation more = limiter.forKey("a").reserve(1);
        assertThat(more.settle(20)).returns(20L, RateLimitDecision::granted).returns(true,
                RateLimitDecision::allowed).returns(0L, RateLimitDecision::remaining);
        assertThat(limiter.forKey("a").tryAcquire().allowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void reservationIsCanceledOrSettledForNothing(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));

        limiter.forKey("a").reserve(10).cancel();
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(10);

        RateLimitReservation unused = limiter.forKey("a").reserve(10);
        assertThat(unused.settle(0)).returns(0L, RateLimitDecision::granted).returns(10L,
                RateLimitDecision::remaining);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void deniedReservationHasNothingToEnd(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        limiter.forKey("a").tryAcquire(10);

        RateLimitReservation denied = limiter.forKey("a").reserve(1);
        assertThat(denied.decision()).returns(false, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted);
        assertThat(denied.settle(5).allowed()).isFalse();
        denied.cancel();

        limiter.forKey("a").reset();
        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(10);
    }

    @Test
    void everyLimitOfAPolicyIsRefunded() {
        RateLimiter limiter = limiters.create("log-and-window", Map.of("log", Limit.slidingLog(5, PERIOD), "window",
                Limit.fixedWindow(8, PERIOD), "bucket", Limit.tokenBucket(6).refill(1, PERIOD)));
        RateLimitDecision upTo = limiter.forKey("a").tryAcquireUpTo(9);
        assertThat(upTo).returns(5L, RateLimitDecision::granted);
        assertThat(upTo.limits()).extracting("limit", "remaining").containsExactly(tuple("bucket", 1L), tuple("log", 0L),
                tuple("window", 3L));

        limiter.refund(upTo);

        assertThat(limiter.forKey("a").peek().limits()).extracting("remaining").containsExactly(6L, 5L, 8L);
    }

    @Test
    void costOfASettlementIsInRange() {
        RateLimitReservation reservation = limiter(Limit.slidingLog(10, PERIOD)).forKey("a").reserve(1);

        assertThatThrownBy(() -> reservation.settle(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 1000000000");
        assertThat(reservation.settle(3).remaining()).isEqualTo(7);
    }

    private RateLimiter limiter(Limit limit) {
        return limiters.create("back" + NAMES.incrementAndGet(), limit);
    }
}
