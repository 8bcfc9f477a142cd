package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.fixtures.Counted;

/** A sliding window counts the current window, and of the previous one what still overlaps. */
class SlidingWindowTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);

    private final Counted key = new Counted();
    private final Limit limit = Limit.slidingWindow(10, SECOND);

    /** The example of "Rate limiting in Rust using Redis": 5 in the previous second, 3 in this, of which 0.8 are over. */
    @Test
    void previous5AndCurrent3AreFourAfterFourFifths() {
        key.acquire(limit, 5);
        key.pass(SECOND);
        key.acquire(limit, 3);
        key.pass(MILLI.multipliedBy(800));

        assertThat(key.peek(limit).remaining()).isEqualTo(10 - 4);
        assertThat(key.acquire(limit, 7).retryAfter()).isEqualTo(MILLI.multipliedBy(200));
        assertThat(key.acquire(limit, 6).allowed()).isTrue();
    }

    @Test
    void aPartOfAPermitCountsAsAWholeOne() {
        key.acquire(limit, 10);
        key.pass(SECOND.plus(1, MICROS));

        assertThat(key.peek(limit)).returns(0L, LimitState::remaining).returns(MILLI.multipliedBy(100).minus(1, MICROS),
                LimitState::nextPermitAfter);
    }

    @Test
    void retryAfterLeadsIntoTheNextWindowWhereTheCurrentOneIsTooFull() {
        key.acquire(limit, 8);
        key.pass(MILLI.multipliedBy(600));

        // of 8 permits 6 fit beside 4, that is 3/4 of the next second
        assertThat(key.acquire(limit, 4).retryAfter()).isEqualTo(MILLI.multipliedBy(400 + 250));
        assertThat(key.acquire(limit, 10).retryAfter()).isEqualTo(MILLI.multipliedBy(400 + 1_000));
    }

    @Test
    void refundGoesToTheWindowOfItsCall() {
        long first = key.now;
        LimitState acquired = key.acquire(limit, 4);
        key.pass(SECOND);
        key.acquire(limit, 4);

        key.refund(limit, acquired, first, 3);

        assertThat(key.peek(limit)).returns(5L, LimitState::remaining);
        key.pass(SECOND.minus(1, MICROS));
        key.refund(limit, acquired, first, 1);
        assertThat(key.peek(limit)).returns(6L, LimitState::remaining);
    }

    @Test
    void nothingIsRefundedToAWindowThatHasPassed() {
        long first = key.now;
        LimitState acquired = key.acquire(limit, 10);
        key.pass(SECOND.multipliedBy(2));
        key.acquire(limit, 10);

        key.refund(limit, acquired, first, 10);

        assertThat(key.peek(limit).remaining()).isZero();
    }

    /** A key does not count what was acquired before it was lost, or before its clock jumped back. */
    @Test
    void nothingIsRefundedToAKeyThatHasNeverCountedIt() {
        long first = key.now;
        LimitState acquired = key.acquire(limit, 10);
        key.stored = null;
        key.pass(MILLI);
        key.acquire(limit, 10);

        key.refund(limit, acquired, first, 10);

        assertThat(key.peek(limit).remaining()).isZero();

        key.pass(SECOND.multipliedBy(-5));
        assertThat(key.acquire(limit, 1).allowed()).isFalse();
        key.pass(SECOND.multipliedBy(5));
        key.acquire(limit, 10);
        key.refund(limit, acquired, first, 10);
        assertThat(key.peek(limit).remaining()).isZero();
    }

    @Test
    void anotherPeriodCountsAllThatTheTwoWindowsHold() {
        key.acquire(limit, 5);
        key.pass(SECOND);
        key.acquire(limit, 3);
        key.pass(MILLI.multipliedBy(800));

        assertThat(key.peek(limit).remaining()).isEqualTo(6);
        assertThat(key.peek(Limit.slidingWindow(10, Duration.ofHours(1))).remaining()).isEqualTo(2);
        assertThat(key.peek(Limit.slidingWindow(20, SECOND)).remaining()).isEqualTo(16);
    }

    /** The largest numbers there can be: products of 75 bits. */
    @Test
    void isExactForABillionPermitsInAYear() {
        Limit year = Limit.slidingWindow(1_000_000_000, Duration.ofDays(366));
        key.now = 56 * 366 * 86_400_000_000L;
        key.acquire(year, 1_000_000_000);
        key.pass(Duration.ofDays(366));

        // 31 622.4 us for one permit
        assertThat(key.acquire(year, 1).retryAfter()).isEqualTo(Duration.of(31_623, MICROS));
        key.pass(Duration.of(31_622, MICROS));
        assertThat(key.acquire(year, 1).allowed()).isFalse();
        key.pass(Duration.of(1, MICROS));
        assertThat(key.acquire(year, 1).allowed()).isTrue();
    }
}
