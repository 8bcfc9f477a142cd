package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.ZoneOffset;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What cannot be a limit says why. */
class LimitTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "FIXED_WINDOW")
    void calendarIsForFixedWindowsOnly(Algorithm algorithm) {
        assertWrong(() -> limit(algorithm, null, CalendarPeriod.DAY, ZoneOffset.UTC),
                "calendar has a meaning for fixed windows only");
    }

    @Test
    void calendarAndZoneComeTogetherAndInPlaceOfAPeriod() {
        assertWrong(() -> limit(Algorithm.FIXED_WINDOW, null, CalendarPeriod.DAY, null), "zone is required for a calendar");
        assertWrong(() -> limit(Algorithm.FIXED_WINDOW, SECOND, null, ZoneOffset.UTC),
                "zone has a meaning for a calendar only");
        assertWrong(() -> limit(Algorithm.FIXED_WINDOW, SECOND, CalendarPeriod.DAY, ZoneOffset.UTC), "period has no meaning");
    }

    @Test
    void onlyTokenBucketsAreRefilled() {
        Limit[] others = { Limit.leakyBucket(1, SECOND, SECOND), Limit.fixedWindow(1, SECOND),
                Limit.fixedWindow(1, CalendarPeriod.DAY), Limit.slidingWindow(1, SECOND), Limit.slidingLog(1, SECOND),
                Limit.concurrency(1) };

        for (Limit other : others) {
            assertWrong(() -> other.refill(1, SECOND),
                    "refill has a meaning for token buckets only, not for " + other.algorithm());
            assertWrong(() -> other.refillInterval(1, SECOND),
                    "refillInterval has a meaning for token buckets only, not for " + other.algorithm());
        }
        assertThat(Limit.tokenBucket(9).refill(2, SECOND)).returns(9L, Limit::burst).returns(2L, Limit::permits)
                .returns(Refill.GREEDY, Limit::refill);
        assertThat(Limit.tokenBucket(9).refillInterval(2, SECOND).refill()).isEqualTo(Refill.INTERVAL);
    }

    @Test
    void whatIsMissingIsNamed() {
        assertWrong(() -> limit(null, SECOND, null, null), "algorithm is required, but is null");
        assertWrong(() -> Limit.tokenBucket(1).refill(1, null), "period is required, but is null");
        assertWrong(() -> Limit.slidingLog(1, null), "period is required, but is null");
        assertWrong(() -> Limit.tokenBucket(1).maxWait(null), "maxWait is required, but is null");
        assertWrong(() -> Limit.concurrency(1).leaseTime(null), "leaseTime is required, but is null");
        assertWrong(() -> Limit.fixedWindow(1, CalendarPeriod.DAY, null), "zone is required for a calendar");
        assertWrong(() -> new Limit(Algorithm.TOKEN_BUCKET, 1, SECOND, 1, null, Duration.ZERO, null, null, null),
                "refill is required, but is null");
    }

    private static Limit limit(Algorithm algorithm, Duration period, CalendarPeriod calendar, ZoneOffset zone) {
        return new Limit(algorithm, 1, period, 1, Refill.GREEDY, Duration.ZERO, calendar, zone, null);
    }

    private static void assertWrong(ThrowingCallable limit, String message) {
        assertThatThrownBy(limit).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }
}
