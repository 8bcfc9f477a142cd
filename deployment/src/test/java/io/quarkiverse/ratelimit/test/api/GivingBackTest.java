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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** What was taken is given back where it was taken, by every algorithm that counts what was taken. */
class GivingBackTest {

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final Duration PERIOD = Duration.ofDays(100);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(LimitOf.class)).overrideConfigKey("quarkus.rate-limit.timeout", "10s");

    @Inject
    RateLimiters limiters;

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void refundGivesBackWhatWasTakenOnce(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision first = limiter.acquireAndAwait("a", 3);
        RateLimitDecision second = limiter.acquireAndAwait("a", 4);

        limiter.refundAndAwait(second);
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(7);
        limiter.refundAndAwait(second);
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(7);

        limiter.refundAndAwait(first);
        assertThat(limiter.peekAndAwait("a")).returns(10L, RateLimitDecision::remaining)
                .returns(Duration.ZERO, RateLimitDecision::resetAfter);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void refundAskedForManyTimesAtOnceGivesBackOnce(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision first = limiter.acquireAndAwait("a", 2);
        limiter.acquireAndAwait("a", 8);

        List<CompletableFuture<Void>> refunds = Stream.generate(() -> CompletableFuture
                .runAsync(() -> limiter.refundAndAwait(first))).limit(8).toList();
        refunds.forEach(CompletableFuture::join);

        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void decisionsThatTookNothingGiveNothingBack(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision peeked = limiter.peekAndAwait("a");
        limiter.acquireAndAwait("a", 8);
        RateLimitDecision refused = limiter.acquireAndAwait("a", 3);
        RateLimitDecision impossible = limiter.acquireAndAwait("a", 11);

        limiter.refundAndAwait(peeked);
        limiter.refundAndAwait(refused);
        limiter.refundAndAwait(impossible);

        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void whatWasTakenInOtherMannersIsGivenBackToo(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        limiter.acquireAndAwait("a", 4);

        RateLimitDecision upTo = limiter.acquireUpToAndAwait("a", 9);
        assertThat(upTo).returns(6L, RateLimitDecision::granted).returns(0L, RateLimitDecision::remaining);
        limiter.refundAndAwait(upTo);
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(6);

        RateLimitDecision charged = limiter.chargeAndAwait("a", 9);
        assertThat(charged).returns(true, RateLimitDecision::allowed).returns(9L, RateLimitDecision::granted);
        assertThat(limiter.peekAndAwait("a").remaining()).isZero();
        limiter.refundAndAwait(charged);
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void resetComesBeforeARefund(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        RateLimitDecision before = limiter.acquireAndAwait("a", 5);

        limiter.resetAndAwait("a");
        limiter.refundAndAwait(before);

        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(10);
        assertThat(limiter.acquireAndAwait("a", 10).allowed()).isTrue();
        assertThat(limiter.acquireAndAwait("a").allowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void reservationIsSettledWithTheRealCost(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));

        RateLimitReservation less = limiter.reserveAndAwait("a", 6);
        assertThat(less.decision()).returns(6L, RateLimitDecision::granted).returns(4L, RateLimitDecision::remaining);
        assertThat(less.settleAndAwait(2)).returns(2L, RateLimitDecision::granted).returns(8L, RateLimitDecision::remaining);
        assertThat(less.settleAndAwait(9).granted()).isEqualTo(6);
        less.cancelAndAwait();
        limiter.refundAndAwait(less.decision());
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(8);

        RateLimitReservation same = limiter.reserveAndAwait("a", 2);
        assertThat(same.settleAndAwait(2)).returns(2L, RateLimitDecision::granted).returns(6L, RateLimitDecision::remaining);

        RateLimitReservation more = limiter.reserveAndAwait("a", 1);
        assertThat(more.settleAndAwait(20)).returns(20L, RateLimitDecision::granted).returns(true,
                RateLimitDecision::allowed).returns(0L, RateLimitDecision::remaining);
        assertThat(limiter.acquireAndAwait("a").allowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void reservationIsCancelledOrSettledForNothing(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));

        limiter.reserveAndAwait("a", 10).cancelAndAwait();
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(10);

        RateLimitReservation unused = limiter.reserveAndAwait("a", 10);
        assertThat(unused.settleAndAwait(0)).returns(0L, RateLimitDecision::granted).returns(10L,
                RateLimitDecision::remaining);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "fixed-window", "sliding-window", "sliding-log" })
    void refusedReservationHasNothingToEnd(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 10, PERIOD));
        limiter.acquireAndAwait("a", 10);

        RateLimitReservation refused = limiter.reserveAndAwait("a", 1);
        assertThat(refused.decision()).returns(false, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted);
        assertThat(refused.settleAndAwait(5).allowed()).isFalse();
        refused.cancelAndAwait();

        limiter.resetAndAwait("a");
        assertThat(limiter.peekAndAwait("a").remaining()).isEqualTo(10);
    }

    @Test
    void everyLimitOfAPolicyGetsBackWhatWasTakenFromIt() {
        RateLimiter limiter = limiters.of("several", Map.of("log", Limit.slidingLog(5, PERIOD), "window",
                Limit.fixedWindow(8, PERIOD), "bucket", Limit.tokenBucket(6).refill(1, PERIOD)));
        RateLimitDecision upTo = limiter.acquireUpToAndAwait("a", 9);
        assertThat(upTo).returns(5L, RateLimitDecision::granted);
        assertThat(upTo.limits()).extracting("limit", "remaining").containsExactly(tuple("bucket", 1L), tuple("log", 0L),
                tuple("window", 3L));

        limiter.refundAndAwait(upTo);

        assertThat(limiter.peekAndAwait("a").limits()).extracting("remaining").containsExactly(6L, 5L, 8L);
    }

    @Test
    void costOfASettlementIsInRange() {
        RateLimitReservation reservation = limiter(Limit.slidingLog(10, PERIOD)).reserveAndAwait("a", 1);

        assertThatThrownBy(() -> reservation.settleAndAwait(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 1000000000");
        assertThat(reservation.settleAndAwait(3).remaining()).isEqualTo(7);
    }

    private RateLimiter limiter(Limit limit) {
        return limiters.of("back" + NAMES.incrementAndGet(), limit);
    }
}
