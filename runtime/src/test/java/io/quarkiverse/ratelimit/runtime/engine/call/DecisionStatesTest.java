package io.quarkiverse.ratelimit.runtime.engine.call;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;

/** States calculated from a reply equal what the store replies later, if nobody else calls. */
class DecisionStatesTest {

    private static final PermitRequest PEEK = new PermitRequest(1, OperationKind.PEEK, 0);

    private final AtomicLong now = new AtomicLong(1_700_000_000_000_000L);
    private final LimitStore store = UnboundedStore.withTime(now::get);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void statesEqualALaterPeek(Algorithm algorithm) {
        Random random = new Random(algorithm.ordinal());
        for (int history = 0; history < 200; history++) {
            Limit limit = RandomLimits.of(algorithm, random);
            Policy policy = policy("p" + history, limit);
            for (int call = 0; call < 30; call++) {
                now.addAndGet(Math.max(0, RandomLimits.step(limit, random)));
                PermitRequest acquiring = PermitRequest.of(1 + random.nextInt((int) Math.min(5, limit.burst())));
                StoreReply reply = decide(policy, acquiring);
                if (reply.usage(0).granted() > 0) {
                    assertProjected(policy, acquiring, reply, random);
                }
            }
        }
    }

    private void assertProjected(Policy policy, PermitRequest acquiring, StoreReply reply, Random random) {
        LimitState before = projected(policy, acquiring, reply, 0).get(0);
        long next = micros(before.nextPermitAfter()), reset = micros(before.resetAfter());
        for (long later : new long[] { next - 1, next, next + 1, random.nextLong(reset) + 1, reset - 1, reset, reset + 1 }) {
            LimitState projected = projected(policy, acquiring, reply, Math.max(0, later)).get(0);

            LimitState actual = peek(policy, reply.time() + Math.max(0, later));
            assertThat(projected.resetAfter()).isEqualTo(actual.resetAfter());
            assertThat(projected.delay()).isLessThanOrEqualTo(before.delay());
            if (policy.limits().stream().anyMatch(limit -> limit.limit().algorithm() == Algorithm.SLIDING_LOG) && later >= next
                    && later < reset) {
                assertThat(projected.remaining()).isGreaterThan(before.remaining()).isLessThanOrEqualTo(actual.remaining());
                assertThat(projected.nextPermitAfter()).isGreaterThanOrEqualTo(actual.nextPermitAfter());
            } else {
                assertThat(projected.remaining()).isEqualTo(actual.remaining());
                assertThat(projected.nextPermitAfter()).isEqualTo(actual.nextPermitAfter());
            }
        }
        now.set(reply.time());
    }

    @Test
    void everyLimitOfAPolicyIsProjected() {
        Policy policy = policy("two", Limit.leakyBucket(1, Duration.ofMinutes(1), Duration.ofMinutes(2)),
                Limit.fixedWindow(5, Duration.ofSeconds(10)));
        decide(policy, PermitRequest.of(1));
        StoreReply reply = decide(policy, PermitRequest.of(1));

        List<LimitState> atOnce = projected(policy, PermitRequest.of(1), reply, 0);
        List<LimitState> delayed = projected(policy, PermitRequest.of(1), reply, 60_000_000);

        assertThat(atOnce).extracting(LimitState::remaining).containsExactly(0L, 3L);
        assertThat(atOnce.get(0).resetAfter()).isEqualTo(Duration.ofMinutes(2));
        assertThat(delayed).extracting(LimitState::remaining).containsExactly(0L, 5L);
        assertThat(delayed).extracting(LimitState::resetAfter).containsExactly(Duration.ofMinutes(1), Duration.ZERO);
        assertThat(delayed).extracting(LimitState::nextPermitAfter).containsExactly(Duration.ofMinutes(1), Duration.ZERO);
    }

    @Test
    void callsThatRunGoOnHoldingTheirPermits() {
        Policy policy = policy("runs", Limit.concurrency(3));
        StoreReply reply = decide(policy, PermitRequest.of(2));

        LimitState later = projected(policy, PermitRequest.of(2), reply, 60_000_000).get(0);

        assertThat(later.remaining()).isEqualTo(1);
    }

    /** A refund needs the time of the charge, not that of the end of the delay. */
    @ParameterizedTest
    @EnumSource
    void delayedDecisionIsRefundedAsItWasCharged(Algorithm algorithm) {
        Policy policy = policy("delayed", RandomLimits.of(algorithm, new Random(1)));
        for (Source source : List.of(Source.REDIS, Source.MEMORY, Source.FALLBACK)) {
            Decision decision = decision(policy, PermitRequest.of(1), decide(policy, PermitRequest.of(1)), source);

            Decision delayed = decision.later(1_000_000);

            assertThat(delayed.acquired()).isSameAs(decision.acquired());
            assertThat(delayed.limitsAsCharged()).isEqualTo(decision.ownLimits());
            assertThat(delayed.chargedAt()).isEqualTo(decision.decidedAt()).isBefore(delayed.decidedAt());
            assertThat(delayed.chargedIn()).isEqualTo(source);
        }
    }

    /** @param micros how long after the reply */
    private static List<LimitState> projected(Policy policy, PermitRequest requested, StoreReply reply, long micros) {
        return decision(policy, requested, reply, Source.REDIS).later(micros).limits();
    }

    private static Decision decision(Policy policy, PermitRequest requested, StoreReply reply, Source source) {
        return Decision.of(new KeyedCharge(new Charge(policy, requested), "caller"), reply, 0, true, source, 1, 0);
    }

    private LimitState peek(Policy policy, long at) {
        now.set(at);
        StoreReply reply = decide(policy, PEEK);
        return reply.usage(0).state("l0", PEEK, reply.time(), false);
    }

    private StoreReply decide(Policy policy, PermitRequest requested) {
        return store.decide(StoreRequests.requestOf(policy, requested, "caller")).await().indefinitely();
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }
}
