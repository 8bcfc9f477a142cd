package io.quarkiverse.ratelimit.runtime.store;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.states;
import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** What holds for every store, with its time in the test's hands. */
public abstract class LimitStoreContract {

    static final List<Limit> LIMITS = List.of(
            Limit.tokenBucket(10).refill(1, Duration.ofSeconds(1)),
            Limit.tokenBucket(10).refill(7, Duration.ofMinutes(1)),
            Limit.tokenBucket(1_000).refill(999_983, Duration.ofDays(1)),
            Limit.tokenBucket(5).refill(700_000, Duration.ofSeconds(1)),
            Limit.tokenBucket(10).refillInterval(1, Duration.ofSeconds(1)),
            Limit.tokenBucket(60).refillInterval(60, Duration.ofMinutes(1)),
            Limit.tokenBucket(25).refillInterval(10, Duration.ofMinutes(1)),
            Limit.fixedWindow(10, Duration.ofMinutes(1)),
            Limit.fixedWindow(7, CalendarPeriod.DAY, ZoneId.of("Europe/Berlin")),
            Limit.fixedWindow(12, CalendarPeriod.YEAR),
            Limit.slidingWindow(10, Duration.ofSeconds(1)),
            Limit.slidingWindow(7, Duration.ofMinutes(1)),
            Limit.slidingWindow(999, Duration.ofDays(366)),
            Limit.slidingLog(10, Duration.ofSeconds(1)),
            Limit.slidingLog(7, Duration.ofMinutes(1)),
            Limit.slidingLog(999, Duration.ofDays(366)));

    /** Microseconds since the epoch. */
    protected final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final String caller = UUID.randomUUID().toString();

    protected abstract LimitStore store();

    @ParameterizedTest
    @FieldSource("LIMITS")
    void exactlyTheBurstIsAllowed(Limit limit) {
        for (long left = limit.burst() - 1; left >= 0; left--) {
            assertThat(decide(limit, 1)).returns(true, LimitState::allowed).returns(left, LimitState::remaining);
        }

        assertThat(decide(limit, 1)).returns(false, LimitState::allowed).returns(0L, LimitState::remaining);
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void retryAfterIsTheShortestWait(Limit limit) {
        for (long cost = 1; cost <= 5; cost++) {
            decide(limit, denied(limit).remaining());
            Duration wait = decide(limit, cost).retryAfter();

            pass(wait.minus(1, MICROS));
            assertThat(decide(limit, cost)).returns(false, LimitState::allowed)
                    .returns(Duration.of(1, MICROS), LimitState::retryAfter);

            pass(Duration.of(1, MICROS));
            assertThat(decide(limit, cost).allowed()).isTrue();
        }
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void remainingGrowsAfterNextPermitAfterAndIsFullAfterResetAfter(Limit limit) {
        LimitState used = decide(limit, Math.min(3, limit.burst()));

        pass(used.nextPermitAfter().minus(1, MICROS));
        assertThat(denied(limit).remaining()).isEqualTo(used.remaining());
        pass(Duration.of(1, MICROS));
        assertThat(denied(limit).remaining()).isGreaterThan(used.remaining());

        pass(used.resetAfter().minus(used.nextPermitAfter()));
        assertThat(denied(limit)).returns(limit.burst(), LimitState::remaining)
                .returns(Duration.ZERO, LimitState::resetAfter);
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void deniedCallsAreNotCharged(Limit limit) {
        decide(limit, limit.burst() - 2);
        for (int i = 0; i < 100; i++) {
            assertThat(decide(limit, 3)).returns(false, LimitState::allowed).returns(2L, LimitState::remaining);
        }

        assertThat(decide(limit, 2).allowed()).isTrue();
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void aCostBeyondTheBurstIsNeverAllowed(Limit limit) {
        assertThat(decide(limit, limit.burst() + 1)).returns(false, LimitState::allowed)
                .returns(limit.burst(), LimitState::remaining).returns(Duration.ZERO, LimitState::retryAfter);
        assertThat(decide(limit, 1_000_000_000).allowed()).isFalse();
    }

    @Test
    void allLimitsAreChargedOrNone() {
        Policy policy = policy("several", LIMITS.get(0), Limit.tokenBucket(3).refill(1, Duration.ofHours(1)));
        for (int i = 0; i < 3; i++) {
            assertThat(decide(1, policy)).allMatch(LimitState::allowed);
        }

        List<LimitState> denied = decide(1, policy);

        assertThat(denied).extracting(LimitState::allowed).containsExactly(true, false);
        assertThat(denied).extracting(LimitState::remaining).containsExactly(7L, 0L);
        assertThat(decide(1, policy).get(0).remaining()).isEqualTo(7);
    }

    @Test
    void shadowPoliciesNeitherStopOthersNorAreChargedForDeniedCalls() {
        Policy enforced = policy("enforced", Limit.tokenBucket(3).refill(1, Duration.ofHours(1)));
        Policy narrow = policy("narrow", Mode.SHADOW, Limit.tokenBucket(1).refill(1, Duration.ofHours(1)));
        Policy wide = policy("wide", Mode.SHADOW, Limit.tokenBucket(10).refill(1, Duration.ofHours(1)));
        for (int i = 0; i < 10; i++) {
            decide(1, narrow, enforced, wide);
        }

        assertThat(remaining("narrow", narrow)).isZero();
        assertThat(remaining("enforced", enforced)).isZero();
        assertThat(remaining("wide", wide)).isEqualTo(7);
    }

    @Test
    void anyNumberOfShadowPoliciesNeitherDenyNorFail() {
        Policy[] policies = new Policy[200];
        for (int i = 0; i < policies.length; i++) {
            policies[i] = policy("shadow" + i, Mode.SHADOW, Limit.tokenBucket(1).refill(1, Duration.ofHours(1)));
        }
        Policy enforced = policy("enforced", Limit.tokenBucket(3).refill(1, Duration.ofHours(1)));
        policies[policies.length - 1] = enforced;
        decide(1, policies);
        decide(1, policies);

        assertThat(remaining("enforced", enforced)).isEqualTo(1);
    }

    private long remaining(String name, Policy policy) {
        Policy enforced = policy(name, policy.limits().get(0).limit());
        return decide(1_000_000_000, enforced).get(0).remaining();
    }

    protected final LimitState decide(Limit limit, long cost) {
        return decide(cost, policy("policy", limit)).get(0);
    }

    /** The state of the limit: nothing is acquired, as the cost is above the capacity. */
    protected final LimitState denied(Limit limit) {
        return decide(limit, limit.burst() + 1);
    }

    protected final List<LimitState> decide(long cost, Policy... policies) {
        StoreRequest request = requestOf(caller, cost, policies);
        return states(request, cost, store().decide(request).await().atMost(Duration.ofSeconds(10)), policies);
    }

    protected final void pass(Duration time) {
        clock.addAndGet(time.toNanos() / 1_000);
    }
}
