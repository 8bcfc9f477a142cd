package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** An invalid limit fails with a reason. */
class LimitTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void whatALimitCountsStaysWhenAnotherValueChanges() {
        Limit calls = Limit.tokenBucket(10).counts(Counts.CALLS);

        assertThat(List.of(calls, calls.refill(5, Duration.ofMinutes(1)), calls.refillInterval(5, Duration.ofMinutes(1)),
                calls.maxWait(Duration.ofSeconds(1)),
                Limit.concurrency(3).counts(Counts.CALLS).leaseTime(Duration.ofSeconds(9))))
                .allMatch(limit -> limit.counts() == Counts.CALLS);
        assertThat(Limit.tokenBucket(10)).returns(Counts.COST, Limit::counts).isNotEqualTo(calls);
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
        assertWrong(() -> Limit.tokenBucket(1).refill(1, null), "period is required, but is null");
        assertWrong(() -> Limit.slidingLog(1, null), "period is required, but is null");
        assertWrong(() -> Limit.tokenBucket(1).maxWait(null), "maxWait is required, but is null");
        assertWrong(() -> Limit.concurrency(1).leaseTime(null), "leaseTime is required, but is null");
        assertWrong(() -> Limit.fixedWindow(1, CalendarPeriod.DAY, null), "zone is required for a calendar");
    }

    private static void assertWrong(ThrowingCallable limit, String message) {
        assertThatThrownBy(limit).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
    }
}
