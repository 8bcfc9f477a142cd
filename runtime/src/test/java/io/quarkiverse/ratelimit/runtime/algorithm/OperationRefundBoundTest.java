package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.DecidedCall;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.Where;

/**
 * After a call and its refund no more permits are left than without them. The only exception is the first use of a full bucket
 * whose permits come back together: even if it is refunded, it determines when they come back.
 */
class OperationRefundBoundTest {

    private static final int CALLS_OF_ONE = 150;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    static Stream<Arguments> everywhere() {
        return StoreCalls.everywhere();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void thanHadTheCallNeverBeenMade(Algorithm algorithm, Where where, int seed) {
        Random random = new Random(seed);
        try (StoreCalls store = new StoreCalls(where, REDIS)) {
            for (int step = 0; step < where.steps; step += CALLS_OF_ONE) {
                Limit limit = RandomLimits.of(algorithm, random);
                store.nextCaller();
                callAtRandom(store, limit, random);
            }
        }
    }

    private static void callAtRandom(StoreCalls store, Limit limit, Random random) {
        String refunded = store.caller(), neverCalled = refunded + "-never";
        DecidedCall acquired = null;
        for (int i = 0; i < CALLS_OF_ONE; i++) {
            store.pass(limit, random);
            long cost = StoreCalls.anyCost(limit, random);
            store.useCaller(neverCalled);
            boolean startsPeriods = limit.refill() == Refill.INTERVAL && store.peek(limit, 1).state().resetAfter().isZero();
            if (startsPeriods) {
                refunded = store.caller() + i;
                neverCalled = refunded + "-never";
                acquired = null;
            }

            store.useCaller(refunded);
            if (acquired != null && random.nextInt(3) == 0) {
                store.refund(acquired, random.nextBoolean() ? acquired.granted() : 1 + random.nextLong(acquired.granted()));
                acquired = null;
            } else if (acquired == null && random.nextInt(3) == 0 && !startsPeriods) {
                DecidedCall requested = store.decide(limit,
                        store.call(cost, random.nextInt(4) == 0 ? OperationKind.CHARGE : OperationKind.ACQUIRE));
                acquired = requested.allowed() ? requested : null;
            } else if (store.decide(limit, cost).allowed()) {
                store.useCaller(neverCalled);
                assertThat(store.decide(limit, cost).allowed()).as("%d of %s at %d", cost, limit, store.now()).isTrue();
            }

            store.useCaller(refunded);
            long left = store.peek(limit, 1).state().remaining();
            store.useCaller(neverCalled);
            assertThat(left).as("call %d of %s", i, limit).isLessThanOrEqualTo(store.peek(limit, 1).state().remaining());
        }
    }
}
