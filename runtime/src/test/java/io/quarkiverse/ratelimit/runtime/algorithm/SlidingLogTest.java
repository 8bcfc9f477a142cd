package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.fixtures.Counted;

/** A sliding log allows exactly the permits in any span of the period. */
class SlidingLogTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MICROSECOND = Duration.of(1, MICROS);

    private final Counted key = new Counted();
    private final Limit limit = Limit.slidingLog(10, SECOND);

    @Test
    void aCallCountsForOnePeriodExactly() {
        key.acquire(limit, 10);
        key.pass(SECOND.minus(MICROSECOND));
        assertThat(key.acquire(limit, 1)).returns(false, LimitState::allowed).returns(MICROSECOND, LimitState::retryAfter);

        key.pass(MICROSECOND);
        assertThat(key.acquire(limit, 10).allowed()).isTrue();
    }

    @Test
    void retryAfterIsWhenEnoughCallsHaveLeft() {
        for (int cost = 1; cost <= 4; cost++) {
            key.acquire(limit, cost);
            key.pass(Duration.ofMillis(100));
        }

        assertThat(key.acquire(limit, 1).retryAfter()).isEqualTo(Duration.ofMillis(600));
        assertThat(key.acquire(limit, 3).retryAfter()).isEqualTo(Duration.ofMillis(700));
        assertThat(key.acquire(limit, 4).retryAfter()).isEqualTo(Duration.ofMillis(800));
        assertThat(key.acquire(limit, 10)).returns(Duration.ofMillis(900), LimitState::retryAfter)
                .returns(Duration.ofMillis(600), LimitState::nextPermitAfter)
                .returns(Duration.ofMillis(900), LimitState::resetAfter);
    }

    @Test
    void onlyTheCallThatAcquiredThemGetsPermitsBack() {
        long first = key.now;
        LimitState acquired = key.acquire(limit, 4);
        key.pass(Duration.ofMillis(500));
        key.acquire(limit, 6);

        key.refund(limit, acquired, first, 3);
        assertThat(key.peek(limit)).returns(3L, LimitState::remaining)
                .returns(Duration.ofMillis(500), LimitState::nextPermitAfter);

        key.refund(limit, acquired, first, 1);
        assertThat(key.peek(limit)).returns(4L, LimitState::remaining).returns(SECOND, LimitState::nextPermitAfter);

        key.refund(limit, acquired, first, 1);
        key.refund(limit, acquired, first + 1, 1);
        assertThat(key.peek(limit)).returns(4L, LimitState::remaining);
    }

    @Test
    void nothingIsRefundedOnceTooManyHaveBeenAllowedSince() {
        Limit many = Limit.slidingLog(20_000, SECOND);
        long first = key.now;
        LimitState acquired = key.acquire(many, 1);
        for (int i = 0; i < 10_001; i++) {
            key.pass(MICROSECOND);
            key.acquire(many, 1);
        }

        key.refund(many, acquired, first, 1);
        assertThat(key.peek(many).remaining()).isEqualTo(20_000 - 10_002);

        key.refund(many, acquired, first + 1, 1);
        assertThat(key.peek(many).remaining()).isEqualTo(20_000 - 10_001);
    }

    @Test
    void nothingIsLeftOnceEverythingIsRefunded() {
        LimitState acquired = key.acquire(limit, 4);

        key.refund(limit, acquired, key.now, 4);

        assertThat(key.stored).isNull();
    }

    @Test
    void remembersNoMoreThanThePermitsHoweverMuchIsCharged() {
        for (int i = 0; i < 1_000; i++) {
            key.decide(limit, OperationKind.CHARGE, 1);
            key.pass(MICROSECOND);
        }

        assertThat(((CallLog) key.stored).size()).isLessThanOrEqualTo(12);
        assertThat(key.peek(Limit.slidingLog(2_000, SECOND)).remaining()).isEqualTo(1_000);
        assertThat(key.acquire(limit, 1).retryAfter()).isEqualTo(SECOND.minus(MICROSECOND.multipliedBy(10)));
        assertThat(key.acquire(limit, 10).retryAfter()).isEqualTo(SECOND.minus(MICROSECOND));
    }

    @Test
    @Timeout(45)
    void decidesAsFastWhateverItRemembers() {
        Limit many = Limit.slidingLog(200_000, Duration.ofMillis(200));
        for (int i = 0; i < 600_000; i++) {
            key.acquire(many, 1);
            key.pass(MICROSECOND);
            key.acquire(many, 200_000);
        }

        assertThat(key.peek(many).remaining()).isEqualTo(1);
        key.pass(SECOND);
        key.acquire(many, 1);
        assertThat(key.peek(many).remaining()).isEqualTo(199_999);
    }
}
