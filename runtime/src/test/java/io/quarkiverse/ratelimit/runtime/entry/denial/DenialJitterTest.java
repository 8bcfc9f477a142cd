package io.quarkiverse.ratelimit.runtime.entry.denial;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;

class DenialJitterTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration JITTER = Duration.ofSeconds(4);
    private static final Duration EXACT = Duration.ofMillis(2_500);
    private static final Limit LIMIT = Limit.tokenBucket(10).refill(10, Duration.ofMinutes(1));
    private static final int RESPONSES = 4_000;

    @Test
    void waitsAreSpreadUniformlyAndRoundedUpOnce() {
        int[] responses = new int[8];
        for (int response = 0; response < RESPONSES; response++) {
            Denial denial = Denial.of(denied(JITTER, EXACT, DenialReason.LIMIT_REACHED));
            responses[denial.retryAfter().intValue()]++;
            assertThat(denial.detail()).isEqualTo("Policy shared is used up. Retry after " + denial.retryAfter() + " s.");
            assertThat(denial.jitter()).isBetween(Duration.ZERO, JITTER);
        }

        // from 2.5 s to 6.5 s: half of an interval at both ends
        int[] expected = { 0, 0, 0, RESPONSES / 8, RESPONSES / 4, RESPONSES / 4, RESPONSES / 4, RESPONSES / 8 };
        for (int seconds = 0; seconds < responses.length; seconds++) {
            assertThat(responses[seconds]).as("%d s in %s", seconds, Arrays.toString(responses))
                    .isBetween(expected[seconds] * 3 / 4, expected[seconds] * 5 / 4);
        }
    }

    @ParameterizedTest
    @EnumSource(names = { "LIMIT_REACHED", "BLOCKED", "PAUSED" })
    void everyDenialWithAWaitHasJitterAndTheExceptionIsExact(DenialReason reason) {
        RateLimitException exception = denied(JITTER, EXACT, reason);
        Set<Long> waits = IntStream.range(0, 100).mapToObj(response -> Denial.of(exception).retryAfter())
                .collect(Collectors.toSet());

        assertThat(waits).hasSizeGreaterThan(2).allMatch(seconds -> seconds >= 3 && seconds <= 7);
        assertThat(exception.decision().retryAfter()).isEqualTo(EXACT);
        assertThat(exception.decision().retryAfterSeconds()).isEqualTo(3);
    }

    @Test
    void denialWithoutAWaitAndUnavailableRedisHaveNoJitter() {
        for (int response = 0; response < 100; response++) {
            assertThat(Denial.of(denied(JITTER, SECOND, DenialReason.REDIS_UNAVAILABLE)).retryAfter()).isEqualTo(1);
            assertThat(Denial.of(denied(JITTER, Duration.ZERO, DenialReason.COST_ABOVE_CAPACITY)).retryAfter()).isNull();
            assertThat(Denial.of(denied(Duration.ZERO, EXACT, DenialReason.LIMIT_REACHED)).retryAfter()).isEqualTo(3);
        }
    }

    /** Another policy that denies with a shorter wait keeps its exact time. */
    @Test
    void onlyThePolicyWhoseWaitIsToldAndItsDenyingLimitWaitLonger() {
        Decision told = decision("told", JITTER, EXACT, DenialReason.LIMIT_REACHED);
        Decision other = decision("other", Duration.ofDays(1), SECOND, DenialReason.LIMIT_REACHED);
        Outcome outcome = new Outcome(List.of(other, told)).withLongerWait(SECOND);

        assertThat(outcome.decisions()).extracting(Decision::retryAfter).containsExactly(SECOND, EXACT.plus(SECOND));
        assertThat(LongStream.range(0, 100).mapToObj(i -> Denial.of(new Outcome(List.of(other, told)).newDenial()).jitter()))
                .allMatch(jitter -> jitter.compareTo(JITTER) <= 0);
        LimitState denying = outcome.decisions().get(1).limits().get(0), free = outcome.decisions().get(1).limits().get(1);
        assertThat(List.of(denying.retryAfter(), denying.nextPermitAfter(), denying.resetAfter()))
                .containsExactly(EXACT.plus(SECOND), EXACT.plus(SECOND), Duration.ofSeconds(61));
        assertThat(List.of(free.retryAfter(), free.nextPermitAfter(), free.resetAfter()))
                .containsExactly(Duration.ZERO, SECOND, SECOND);
    }

    private static RateLimitException denied(Duration jitter, Duration wait, DenialReason reason) {
        return RateLimitException.of(decision("shared", jitter, wait, reason));
    }

    private static Decision decision(String name, Duration jitter, Duration wait, DenialReason reason) {
        Policy policy = new Policy(name, List.of(new PolicyLimit("slow", LIMIT), new PolicyLimit("fast", LIMIT)), null,
                MissingKey.IP, List.of(), OnRedisFailure.LOCAL, Mode.ENFORCE, true, PlanTable.NONE, Exemptions.NONE,
                Statuses.ALL, Duration.ZERO, null, Prefetch.NONE, jitter, Duration.ZERO);
        List<LimitState> limits = List.of(
                new LimitUsage("slow", LIMIT, false, 10, 0, Duration.ZERO, wait, wait, Duration.ofMinutes(1)),
                new LimitUsage("fast", LIMIT, true, 10, 9, Duration.ZERO, Duration.ZERO, SECOND, SECOND));
        return Decision.recorded(policy, "key", 0, 0, Source.REDIS, limits, reason, Instant.EPOCH);
    }
}
