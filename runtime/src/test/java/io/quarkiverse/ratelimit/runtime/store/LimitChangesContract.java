package io.quarkiverse.ratelimit.runtime.store;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/** In every store, a changed limit carries over the permits in use, and no clock grants a permit twice. */
public abstract class LimitChangesContract extends LimitStoreContract {

    private static final Duration HOUR = Duration.ofHours(1);

    private static Limit evenly(long permits, Duration period) {
        return Limit.tokenBucket(permits).refill(permits, period);
    }

    private static Limit atOnce(long permits, Duration period) {
        return Limit.tokenBucket(permits).refillInterval(permits, period);
    }

    static Stream<Arguments> fromTenToAThousand() {
        return Stream.of(Arguments.of(evenly(10, HOUR), evenly(1_000, HOUR)),
                Arguments.of(evenly(10, HOUR), evenly(1_000, Duration.ofSeconds(1))),
                Arguments.of(evenly(10, Duration.ofDays(366)), evenly(1_000, Duration.ofMillis(1))),
                Arguments.of(atOnce(10, HOUR), atOnce(1_000, HOUR)),
                Arguments.of(Limit.fixedWindow(10, HOUR), Limit.fixedWindow(1_000, HOUR)),
                Arguments.of(Limit.fixedWindow(10, HOUR), Limit.fixedWindow(1_000, Duration.ofMinutes(7))),
                Arguments.of(Limit.fixedWindow(10, HOUR), Limit.fixedWindow(1_000, Duration.ofDays(7))),
                Arguments.of(Limit.slidingWindow(10, HOUR), Limit.slidingWindow(1_000, HOUR)),
                Arguments.of(Limit.slidingWindow(10, HOUR), Limit.slidingWindow(1_000, Duration.ofSeconds(1))),
                Arguments.of(Limit.slidingWindow(10, HOUR), Limit.slidingWindow(1_000, Duration.ofDays(366))),
                Arguments.of(Limit.slidingLog(10, HOUR), Limit.slidingLog(1_000, HOUR)),
                Arguments.of(Limit.slidingLog(10, HOUR), Limit.slidingLog(1_000, Duration.ofSeconds(1))),
                Arguments.of(Limit.slidingLog(10, HOUR), Limit.slidingLog(1_000, Duration.ofDays(366))));
    }

    @ParameterizedTest
    @MethodSource
    void fromTenToAThousand(Limit ten, Limit thousand) {
        decide(ten, 10);

        assertThat(denied(thousand).remaining()).isEqualTo(990);
        assertThat(decide(thousand, 990).allowed()).isTrue();
        assertThat(decide(thousand, 1).allowed()).isFalse();
        pass(denied(thousand).resetAfter());
        assertThat(decide(thousand, 1_000).allowed()).isTrue();
    }

    static Stream<Arguments> otherAlgorithms() {
        List<Limit> all = List.of(evenly(2, HOUR), atOnce(2, HOUR), Limit.fixedWindow(2, HOUR), Limit.slidingWindow(2, HOUR),
                Limit.slidingLog(2, HOUR));
        return all.stream().flatMap(one -> all.stream().filter(other -> other != one).map(other -> Arguments.of(one, other)));
    }

    /** As while a changed algorithm is rolled out: a caller's requests go to an old and to a new instance. */
    @ParameterizedTest
    @MethodSource
    void otherAlgorithms(Limit one, Limit other) {
        int allowed = 0;
        for (int call = 0; call < 12; call++) {
            allowed += decide(call % 2 == 0 ? one : other, 1).allowed() ? 1 : 0;
        }

        assertThat(allowed).as("the sum of both limits").isEqualTo(4);
        assertThat(denied(one).remaining()).isZero();
        assertThat(denied(other).remaining()).isZero();
    }

    @Test
    void theExcessDrainsAtTheNewRate() {
        decide(evenly(10, HOUR), 10);

        assertThat(denied(evenly(5, HOUR))).returns(0L, LimitState::remaining)
                .returns(HOUR.multipliedBy(2), LimitState::resetAfter)
                .returns(Duration.ofMinutes(72), LimitState::nextPermitAfter);
        assertThat(decide(evenly(5, HOUR), 1).retryAfter()).isEqualTo(Duration.ofMinutes(72));
    }

    @Test
    void theExcessDrainsAtTheNewRateAtOnceToo() {
        decide(atOnce(10, HOUR), 10);

        assertThat(decide(atOnce(5, HOUR), 1)).returns(0L, LimitState::remaining)
                .returns(HOUR.multipliedBy(2), LimitState::resetAfter).returns(HOUR.multipliedBy(2), LimitState::retryAfter);
    }

    @Test
    void thereAndBackAgainGrantsNothing() {
        Limit slow = evenly(10, HOUR);
        decide(slow, 10);
        for (int i = 0; i < 100; i++) {
            denied(evenly(1_000, Duration.ofSeconds(7)));
            denied(atOnce(7, Duration.ofMinutes(1)));
        }

        assertThat(denied(slow).remaining()).isZero();
        assertThat(decide(slow, 1).allowed()).isFalse();
    }

    /** Two instances of different opinions, as while a new version is rolled out, do not keep anybody out for ever. */
    @Test
    void windowsOfChangingPeriodsExpire() {
        Limit hour = Limit.slidingWindow(10, HOUR), minute = Limit.slidingWindow(10, Duration.ofMinutes(1));
        decide(hour, 10);
        for (int i = 0; i < 10; i++) {
            assertThat(decide(minute, 1).allowed()).isFalse();
            assertThat(decide(hour, 1).allowed()).isFalse();
        }

        for (int minutes = 0; minutes < 120; minutes++) {
            pass(Duration.ofMinutes(1));
            denied(minute);
            denied(hour);
        }

        assertThat(denied(minute).remaining()).isEqualTo(10);
        assertThat(denied(hour).remaining()).isEqualTo(10);
    }

    /** A longer period applies to what the log remembers, and the log remembers it for as long from then on. */
    @Test
    void aLogWhosePeriodHasBecomeLongerIsKeptLonger() {
        decide(Limit.slidingLog(10, Duration.ofSeconds(1)), 10);
        Limit day = Limit.slidingLog(10, Duration.ofDays(1));

        assertThat(decide(day, 1).retryAfter()).isEqualTo(Duration.ofDays(1));
        pass(Duration.ofDays(1).minus(1, MICROS));
        assertThat(decide(day, 1).retryAfter()).isEqualTo(Duration.of(1, MICROS));
        pass(Duration.of(1, MICROS));
        assertThat(decide(day, 10).allowed()).isTrue();
    }

    @Test
    void hugeRatesRefilledAtOnceKeepWhatIsUsed() {
        decide(atOnce(10, HOUR), 10);

        assertThat(denied(atOnce(5_000_000, Duration.ofMillis(1))).remaining()).isEqualTo(4_999_990);
    }

    @ParameterizedTest
    @MethodSource("fromTenToAThousand")
    void aClockThatJumpsBackGrantsNothingAndShutsOutNoLongerThanTheFillTime(Limit ten, Limit thousand) {
        for (Limit limit : new Limit[] { ten, thousand }) {
            pass(Duration.ofDays(3 * 366));
            decide(limit, limit.burst());
            pass(limit.period().multipliedBy(-2).minus(1, MICROS));

            assertThat(decide(limit, 1)).returns(false, LimitState::allowed).returns(0L, LimitState::remaining);
            Duration fillTime = limit.period().multipliedBy(limit.algorithm() == Algorithm.SLIDING_WINDOW ? 2 : 1);
            assertThat(denied(limit).resetAfter()).isLessThanOrEqualTo(fillTime);

            pass(fillTime);
            assertThat(decide(limit, limit.burst()).allowed()).isTrue();
        }
    }

    static List<Limit> windows() {
        return List.of(Limit.fixedWindow(10, HOUR), Limit.fixedWindow(10, CalendarPeriod.HOUR),
                Limit.fixedWindow(10, CalendarPeriod.DAY, ZoneId.of("Europe/Berlin")),
                Limit.fixedWindow(10, CalendarPeriod.MONTH), Limit.fixedWindow(10, CalendarPeriod.YEAR));
    }

    /** As over midnight: the new window counts as the current one, and its permits are not granted a second time. */
    @ParameterizedTest
    @MethodSource("windows")
    void aWindowAheadOfTheClockCountsUntilItsEnd(Limit limit) {
        Duration length = acquireInNextWindow(limit, 3);

        pass(Duration.ofSeconds(-2));
        assertThat(decide(limit, 7)).returns(true, LimitState::allowed).returns(length, LimitState::resetAfter);
        assertThat(decide(limit, 1)).returns(false, LimitState::allowed).returns(length, LimitState::retryAfter);

        pass(Duration.ofSeconds(2));
        assertThat(decide(limit, 1)).returns(false, LimitState::allowed)
                .returns(length.minusSeconds(2), LimitState::retryAfter);
        pass(length.minusSeconds(2).minus(1, MICROS));
        assertThat(decide(limit, 1).allowed()).isFalse();
        pass(Duration.of(1, MICROS));
        assertThat(decide(limit, 10).allowed()).isTrue();
    }

    /** Only the first call after the jump begins the longest time for which the window ahead counts. */
    @ParameterizedTest
    @MethodSource("windows")
    void deniedCallsDoNotProlongAWindowAheadOfTheClock(Limit limit) {
        Duration length = acquireInNextWindow(limit, 10);
        pass(length.dividedBy(2).negated());

        for (int half = 0; half < 2; half++) {
            assertThat(decide(limit, 1).allowed()).isFalse();
            pass(length.dividedBy(2));
        }

        assertThat(decide(limit, 10).allowed()).isTrue();
    }

    /** Moves the clock to a second after the begin of a window, acquires permits, and returns the length of that window. */
    private Duration acquireInNextWindow(Limit limit, long permits) {
        pass(decide(limit, 1).resetAfter().plusSeconds(1));
        return decide(limit, permits).resetAfter().plusSeconds(1);
    }

    /** A step forward is time that has passed, and a step back is none. */
    @ParameterizedTest
    @FieldSource("LIMITS")
    void aClockThatStepsToAndFroGrantsNothingTwice(Limit limit) {
        pass(decide(limit, 1).resetAfter());
        double passed = 0;
        long granted = 0;
        for (int step = 0; step < 50; step++) {
            pass(Duration.ofMillis(step % 2 == 0 ? 500 : -500));
            passed += step % 2 == 0 ? 5e5 : 0;
            granted += decide(limit, 1).allowed() ? 1 : 0;
            long left = denied(limit).remaining();
            granted += left > 0 && decide(limit, left).allowed() ? left : 0;
        }

        double refilled = limit.calendar() == null ? passed * limit.permits() / LimitUsage.micros(limit.period()) : 0;
        assertThat((double) granted).isLessThanOrEqualTo(2 * limit.burst() + refilled + 1);
    }
}
