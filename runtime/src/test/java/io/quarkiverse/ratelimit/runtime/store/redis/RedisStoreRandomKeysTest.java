package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.DecidedCall;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.Where;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** Whatever happens, a key lives as long as it matters, and a peek does not change it. */
class RedisStoreRandomKeysTest {

    private static final int CALLS_OF_ONE = 60;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    static List<Algorithm> algorithms() {
        return StoreCalls.algorithms();
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void liveAsLongAsTheyMatterAndAreLeftAsTheyAreByPeeks(Algorithm algorithm) {
        Random random = new Random(1);
        try (StoreCalls store = new StoreCalls(Where.REDIS, REDIS)) {
            for (int step = 0; step < Where.REDIS.steps; step += CALLS_OF_ONE) {
                store.nextCaller();
                callAtRandom(store, algorithm, random);
            }
        }
    }

    private static void callAtRandom(StoreCalls store, Algorithm algorithm, Random random) {
        Limit limit = RandomLimits.of(algorithm, random);
        String key = "test:{" + store.caller() + "}:policy:" + StoreRequests.storedName(limit);
        for (int i = 0; i < CALLS_OF_ONE; i++) {
            store.pass(limit, random);
            OperationKind kind = OperationKind.values()[random.nextInt(3)];
            long began = System.nanoTime();
            DecidedCall requested = store.decide(limit, store.call(StoreCalls.anyCost(limit, random), kind));
            if (requested.allowed()) {
                assertThat(millisLeft(key)).isBetween(millis(requested.state().resetAfter()) - millisSince(began),
                        millis(requested.state().resetAfter()) + 1_000);
            }
            if (requested.allowed() && random.nextInt(4) == 0) {
                store.refund(requested, 1 + random.nextLong(requested.granted()));
            }
            peekAndLeaveAsItIs(store, key, random.nextInt(10) == 0 ? RandomLimits.of(algorithm, random) : limit, random);
        }
    }

    private static void peekAndLeaveAsItIs(StoreCalls store, String key, Limit limit, Random random) {
        Response before = REDIS.send(Command.DUMP, key);
        long began = System.nanoTime();
        long left = millisLeft(key);

        DecidedCall requested = store.peek(limit, StoreCalls.anyCost(limit, random));

        Response after = REDIS.send(Command.DUMP, key);
        if (before == null) {
            assertThat(after).isNull();
            assertThat(requested.state().remaining()).isEqualTo(limit.burst());
        } else {
            assertThat(after.toBytes()).isEqualTo(before.toBytes());
            assertThat(millisLeft(key)).isBetween(left - millisSince(began), left);
        }
    }

    /** Without the hour that is added as no time passes. */
    private static long millisLeft(String key) {
        long left = REDIS.send(Command.PTTL, key).toLong();
        assertThat(left).as("-1 is for ever").isNotEqualTo(-1);
        return left - FrozenRedis.HOUR_MILLIS;
    }

    /** Rounded up, as Redis rounds, too. */
    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos) + 2;
    }

    private static long millis(Duration time) {
        return time.toMillis();
    }
}
