package io.quarkiverse.ratelimit.runtime.redis;

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
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.redis.AskedStore.Asked;
import io.quarkiverse.ratelimit.runtime.redis.AskedStore.Where;
import io.quarkiverse.ratelimit.runtime.store.RandomLimits;

/** Whoever waits as long as told is served, and a microsecond earlier is not, whatever happened before. */
class EveryWaitIsTheShortestTest {

    private static final Duration MICROSECOND = Duration.of(1, MICROS);
    private static final int CALLS_OF_ONE = 100;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    static Stream<Arguments> everywhere() {
        return AskedStore.everywhere();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void alsoWhenChargedGivenBackOrChanged(Algorithm algorithm, Where where, int seed) {
        Random random = new Random(seed);
        try (AskedStore store = new AskedStore(where, REDIS)) {
            Limit limit = RandomLimits.of(algorithm, random);
            Asked last = null;
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
                    store.giveBack(last, 1 + random.nextLong(last.granted()));
                    last = null;
                }
                Manner manner = random.nextInt(6) == 0 ? Manner.values()[random.nextInt(3)] : Manner.TAKE;
                Asked asked = store.ask(limit, store.call(AskedStore.anyCost(limit, random), manner));
                if (asked.admitted()) {
                    last = asked;
                }

                switch (random.nextInt(3)) {
                    case 0 -> remainingGrowsInTime(store, asked);
                    case 1 -> fullInTime(store, asked, random);
                    default -> admittedInTime(store, asked);
                }
            }
        }
    }

    private static void admittedInTime(AskedStore store, Asked refused) {
        Duration wait = refused.state().retryAfter();
        if (refused.admitted()) {
            assertThat(wait).isZero();
            return;
        }
        assertThat(wait).as("%s", refused).isPositive();
        store.pass(wait.minus(MICROSECOND));
        Asked early = store.ask(refused.limit(), refused.call());
        assertThat(early.admitted()).as("early for %s", refused).isFalse();
        assertThat(early.state().retryAfter()).isEqualTo(MICROSECOND);

        store.pass(MICROSECOND);
        assertThat(store.peek(refused.limit(), refused.call().manner() == Manner.UP_TO ? 1 : refused.call().cost()).admitted())
                .as("in time for %s", refused).isTrue();
        assertThat(store.ask(refused.limit(), refused.call()).admitted()).isTrue();
    }

    private static void remainingGrowsInTime(AskedStore store, Asked asked) {
        long remaining = asked.state().remaining();
        Duration wait = asked.state().nextPermitAfter();
        if (remaining == asked.limit().burst()) {
            assertThat(wait).isZero();
            return;
        }
        assertThat(wait).as("%s", asked).isPositive();
        store.pass(wait.minus(MICROSECOND));
        assertThat(store.peek(asked.limit(), 1).state().remaining()).as("early for %s", asked).isEqualTo(remaining);

        store.pass(MICROSECOND);
        assertThat(store.peek(asked.limit(), 1).state().remaining()).as("in time for %s", asked).isGreaterThan(remaining);
    }

    private static void fullInTime(AskedStore store, Asked asked, Random random) {
        Duration wait = asked.state().resetAfter();
        if (wait.isZero() || random.nextInt(4) > 0) {
            return;
        }
        store.pass(wait.minus(MICROSECOND));
        assertThat(store.peek(asked.limit(), 1).state().resetAfter()).as("early for %s", asked).isEqualTo(MICROSECOND);

        store.pass(MICROSECOND);
        assertThat(store.peek(asked.limit(), 1).state().resetAfter()).as("in time for %s", asked).isZero();
        assertThat(store.peek(asked.limit(), 1).state().remaining()).isEqualTo(asked.limit().burst());
    }
}
