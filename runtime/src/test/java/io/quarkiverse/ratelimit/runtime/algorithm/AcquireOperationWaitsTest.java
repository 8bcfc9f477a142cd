package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.time.temporal.ChronoUnit.MICROS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.DecidedCall;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.Where;

/** A call is allowed after its {@code retryAfter}, and not a microsecond earlier, whatever happened before. */
class AcquireOperationWaitsTest {

    private static final Duration MICROSECOND = Duration.of(1, MICROS);
    private static final int CALLS_OF_ONE = 100;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    static Stream<Arguments> everywhere() {
        return StoreCalls.everywhere();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void alsoWhenChargedRefundedOrChanged(Algorithm algorithm, Where where, int seed) {
        Random random = new Random(seed);
        try (StoreCalls store = new StoreCalls(where, REDIS)) {
            Limit limit = RandomLimits.of(algorithm, random);
            DecidedCall last = null;
            for (int step = 0; step < where.steps; step++) {
                if (step % CALLS_OF_ONE == 0) {
                    store.nextCaller();
                    last = null;
                }
                if (random.nextInt(CALLS_OF_ONE / 4) == 0) {
                    limit = RandomLimits.of(algorithm, random);
                }
                store.pass(limit, random);
                if (last != null && random.nextInt(8) == 0) {
                    store.refund(last, 1 + random.nextLong(last.granted()));
                    last = null;
                }
                OperationKind kind = random.nextInt(6) == 0 ? OperationKind.values()[random.nextInt(3)] : OperationKind.ACQUIRE;
                DecidedCall requested = store.decide(limit, store.call(StoreCalls.anyCost(limit, random), kind));
                if (requested.allowed()) {
                    last = requested;
                }

                switch (random.nextInt(3)) {
                    case 0 -> remainingGrowsInTime(store, requested);
                    case 1 -> fullInTime(store, requested, random);
                    default -> allowedInTime(store, requested);
                }
            }
        }
    }

    private static void allowedInTime(StoreCalls store, DecidedCall denied) {
        Duration wait = denied.state().retryAfter();
        if (denied.allowed()) {
            assertThat(wait).isZero();
            return;
        }
        assertThat(wait).as("%s", denied).isPositive();
        store.pass(wait.minus(MICROSECOND));
        DecidedCall early = store.decide(denied.limit(), denied.requested());
        assertThat(early.allowed()).as("early for %s", denied).isFalse();
        assertThat(early.state().retryAfter()).isEqualTo(MICROSECOND);

        store.pass(MICROSECOND);
        assertThat(
                store.peek(denied.limit(),
                        denied.requested().kind() == OperationKind.ACQUIRE_UP_TO ? 1 : denied.requested().cost())
                        .allowed())
                .as("in time for %s", denied).isTrue();
        assertThat(store.decide(denied.limit(), denied.requested()).allowed()).isTrue();
    }

    private static void remainingGrowsInTime(StoreCalls store, DecidedCall requested) {
        long remaining = requested.state().remaining();
        Duration wait = requested.state().nextPermitAfter();
        if (remaining == requested.limit().burst()) {
            assertThat(wait).isZero();
            return;
        }
        assertThat(wait).as("%s", requested).isPositive();
        store.pass(wait.minus(MICROSECOND));
        assertThat(store.peek(requested.limit(), 1).state().remaining()).as("early for %s", requested).isEqualTo(remaining);

        store.pass(MICROSECOND);
        assertThat(store.peek(requested.limit(), 1).state().remaining()).as("in time for %s", requested)
                .isGreaterThan(remaining);
    }

    private static void fullInTime(StoreCalls store, DecidedCall requested, Random random) {
        Duration wait = requested.state().resetAfter();
        if (wait.isZero() || random.nextInt(4) > 0) {
            return;
        }
        store.pass(wait.minus(MICROSECOND));
        assertThat(store.peek(requested.limit(), 1).state().resetAfter()).as("early for %s", requested).isEqualTo(MICROSECOND);

        store.pass(MICROSECOND);
        assertThat(store.peek(requested.limit(), 1).state().resetAfter()).as("in time for %s", requested).isZero();
        assertThat(store.peek(requested.limit(), 1).state().remaining()).isEqualTo(requested.limit().burst());
    }
}
