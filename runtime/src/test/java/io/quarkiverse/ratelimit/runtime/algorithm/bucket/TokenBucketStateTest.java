package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;

/** The state of a bucket is exact, for small numbers and for the largest. */
class TokenBucketStateTest {

    private static final Duration MICROSECOND = Duration.of(1, MICROS);

    private long now = 1_763_640_000_000_000L;
    private Object stored;

    /** The table of GCRA with a limit of 5 (1 and 4 more at once), one each second, as redis-cell and throttled have it. */
    @ParameterizedTest(name = "after {0} ms and {1} calls, cost {2}")
    @CsvSource({
            // ms, calls, cost, allowed, remaining, retryAfter, nextPermitAfter, resetAfter
            "0, 0, 1, true, 4, 0, 1000, 1000",
            "0, 1, 1, true, 3, 0, 1000, 2000",
            "0, 4, 1, true, 0, 0, 1000, 5000",
            "0, 5, 1, false, 0, 1000, 1000, 5000",
            "0, 5, 3, false, 0, 3000, 1000, 5000",
            "0, 0, 5, true, 0, 0, 1000, 5000",
            "0, 0, 6, false, 5, 0, 0, 0",
            "999, 5, 1, false, 0, 1, 1, 4001",
            "1000, 5, 1, true, 0, 0, 1000, 5000",
            "1500, 5, 1, true, 0, 0, 500, 4500",
            "1500, 5, 2, false, 1, 500, 500, 3500",
            "4000, 5, 2, true, 2, 0, 1000, 3000",
            "5000, 5, 5, true, 0, 0, 1000, 5000",
            "90000, 5, 1, true, 4, 0, 1000, 1000" })
    void rowsOfGcra(long millis, int calls, long cost, boolean allowed, long remaining, long retryAfter,
            long nextPermitAfter, long resetAfter) {
        LimitRule rule = PolicyLimit.ruleOf(Limit.tokenBucket(5).refill(1, Duration.ofSeconds(1)));
        for (int i = 0; i < calls; i++) {
            decide(rule, 1);
        }
        now += millis * 1_000;

        assertThat(decide(rule, cost)).isEqualTo(
                new LimitUsage("l", rule.limit(), allowed, 5, remaining, Duration.ZERO, Duration.ofMillis(retryAfter),
                        Duration.ofMillis(nextPermitAfter), Duration.ofMillis(resetAfter)));
    }

    @Test
    void bucketIsFullHoweverManyRefillsHavePassed() {
        LimitRule rule = PolicyLimit.ruleOf(Limit.tokenBucket(5).refillInterval(1_000_000_000, Duration.ofMillis(1)));
        decide(rule, 5);
        now += Duration.ofDays(366).toNanos() / 1_000;

        assertThat(decide(rule, 5).allowed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    @Timeout(60)
    void everyWaitIsTheShortestForWhateverNumbers(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            Limit limit = RandomLimits.of(Algorithm.TOKEN_BUCKET, random).maxWait(Duration.ZERO);
            LimitRule rule = PolicyLimit.ruleOf(limit);
            stored = null;
            for (int call = 0; call < 10; call++) {
                now += random.nextLong(1 + rule.fillTime(now) / 8);
                long cost = 1 + random.nextLong(limit.burst());
                LimitState state = decide(rule, cost);

                assertThat(state.remaining()).isBetween(0L, limit.burst());
                assertThat(state.resetAfter()).isBetween(Duration.ZERO, Duration.of(rule.fillTime(now), MICROS));
                if (!state.allowed()) {
                    assertThat(state.retryAfter()).isPositive();
                    assertThat(wouldAllow(rule, cost, state.retryAfter())).as("%s, %d", limit, cost).isTrue();
                    assertThat(wouldAllow(rule, cost, state.retryAfter().minus(MICROSECOND))).isFalse();
                }
                if (state.remaining() > 0) {
                    assertThat(wouldAllow(rule, state.remaining(), Duration.ZERO)).isTrue();
                }
                if (state.remaining() < limit.burst()) {
                    assertThat(wouldAllow(rule, state.remaining() + 1, state.nextPermitAfter())).isTrue();
                    assertThat(wouldAllow(rule, state.remaining() + 1, state.nextPermitAfter().minus(MICROSECOND))).isFalse();
                }
                assertThat(wouldAllow(rule, limit.burst(), state.resetAfter())).isTrue();
            }
        }
    }

    /** A million permits come back each microsecond: what is left is computed, not counted up. */
    @Test
    @Timeout(10)
    void hugeRatesAreAsFastAsOthers() {
        LimitRule rule = PolicyLimit.ruleOf(Limit.tokenBucket(1_000_000_000).refill(1_000_000_000, Duration.ofMillis(1)));

        for (int i = 0; i < 100_000; i++) {
            decide(rule, 999_999);
            now += i % 2;
        }

        assertThat(decide(rule, 1).remaining()).isPositive();
    }

    private LimitState decide(LimitRule rule, long cost) {
        OperationResult result = rule.acquire(PermitRequest.of(cost)).decide(stored, now, 0, List.of());
        if (result.stored() != null) {
            stored = result.stored().get();
        }
        UsageReply reply = (UsageReply) result.reply();
        return reply.state("l", PermitRequest.of(cost), now, reply.granted() > 0);
    }

    private boolean wouldAllow(LimitRule rule, long cost, Duration later) {
        return rule.acquire(PermitRequest.of(cost)).decide(stored, now + later.toNanos() / 1_000, 0, List.of()).reply()
                .granted() > 0;
    }
}
