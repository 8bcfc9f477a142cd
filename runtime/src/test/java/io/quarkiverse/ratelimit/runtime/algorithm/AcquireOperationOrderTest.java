package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.Where;

/** Limits in another order have the same replies, in that order. Calls of concurrency are not charged beyond the limit. */
class AcquireOperationOrderTest {

    private static final int CALLS_OF_ONE = 50;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @ParameterizedTest
    @CsvSource({ "MEMORY, 1", "MEMORY, 2", "MEMORY, 3", "MEMORY, 4", "REDIS, 5", "REDIS, 6" })
    void permutedLimitsGivePermutedReplies(Where where, int seed) {
        Random random = new Random(seed);
        try (StoreCalls store = new StoreCalls(where, REDIS)) {
            for (int step = 0; step < where.steps; step += CALLS_OF_ONE) {
                List<Limit> limits = IntStream.range(0, 2 + random.nextInt(4)).mapToObj(i -> RandomLimits.any(random)).toList();
                List<Integer> order = new ArrayList<>(IntStream.range(0, limits.size()).boxed().toList());
                Collections.shuffle(order, random);
                store.nextCaller();
                callAtRandom(store, limits, order, random);
            }
        }
    }

    private static void callAtRandom(StoreCalls store, List<Limit> limits, List<Integer> order, Random random) {
        String one = store.caller(), other = one + "-other";
        boolean concurrency = limits.stream().anyMatch(limit -> limit.algorithm() == Algorithm.CONCURRENCY);
        Limit[] permuted = order.stream().map(limits::get).toArray(Limit[]::new);
        for (int i = 0; i < CALLS_OF_ONE; i++) {
            store.pass(limits.get(random.nextInt(limits.size())), random);
            PermitRequest requested = store.call(StoreCalls.anyCost(limits.get(random.nextInt(limits.size())), random),
                    OperationKind.values()[random.nextInt(4)]);
            if (concurrency && requested.kind() == OperationKind.CHARGE) {
                continue;
            }
            store.useCaller(one);
            StoreReply reply = store.reply(StoreRequests.policy("policy", limits.toArray(Limit[]::new)), requested);
            store.useCaller(other);
            StoreReply permutedReply = store.reply(StoreRequests.policy("policy", permuted), requested);

            for (int at = 0; at < permuted.length; at++) {
                assertThat(permutedReply.usage(at)).as("%s, %s", requested, limits).isEqualTo(reply.usage(order.get(at)));
            }
        }
    }
}
