package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;

/** A slot that moves to and fro under load loses no count, counts nothing twice and fails no call. */
@Tag("slow")
class ClusterSenderReshardingTest {

    private static final int SLOT = 7;
    private static final int PERMITS = 2_000;
    private static final int AT_ONCE = 25;
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SOON = Duration.ofSeconds(5);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private final AtomicLong ids = new AtomicLong();

    @Test
    void oneHotCallerIsCountedExactly() throws Exception {
        assertCountedExactly(1, policy("one", Limit.tokenBucket(PERMITS).refill(1, DAY)));
    }

    @Test
    void manyCallersOfTheSlotAreCountedExactly() throws Exception {
        assertCountedExactly(20, policy("many", Limit.tokenBucket(PERMITS / 20).refill(1, DAY)));
    }

    @Test
    void whatRunsIsCountedExactly() throws Exception {
        assertCountedExactly(1, policy("running", Limit.concurrency(PERMITS).leaseTime(DAY)));
    }

    @Test
    void callersOfSeveralLimitsAreCountedExactlyOnceTheirKeysAreThere() throws Exception {
        Policy policy = policy("several", Limit.tokenBucket(PERMITS / 4).refill(1, DAY), Limit.slidingLog(PERMITS, DAY));
        List<String> names = Stream.generate(() -> RealCluster.nameOn(SLOT)).limit(4).toList();
        try (RedisStore store = CLUSTER.newStore(Duration.ofSeconds(5))) {
            names.forEach(name -> assertThat(new Caller(store, name, policy).isAllowed()).isTrue());
        }

        assertCountedExactly(names, PERMITS - 4, policy);
    }

    private void assertCountedExactly(int callers, Policy policy) throws Exception {
        assertCountedExactly(Stream.generate(() -> RealCluster.nameOn(SLOT)).limit(callers).toList(), PERMITS, policy);
    }

    private void assertCountedExactly(List<String> names, int permits, Policy policy) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try (RedisStore one = CLUSTER.newStore(SOON); RedisStore other = CLUSTER.newStore(SOON)) {
            Future<?> moving = threads.submit(() -> IntStream.range(0, 12).forEach(
                    i -> CLUSTER.move(SLOT, CLUSTER.masters().get((SLOT + i) % 3),
                            CLUSTER.masters().get((SLOT + i + 1) % 3))));
            List<Future<Integer>> allowed = Stream.of(one, other)
                    .map(store -> threads.submit(() -> allowedWhile(moving, store, names, policy))).toList();

            moving.get(60, TimeUnit.SECONDS);
            assertThat(allowed.get(0).get() + allowed.get(1).get()).isEqualTo(permits);
        } finally {
            threads.shutdownNow();
        }
    }

    /** StoreRequests on and on, a few callers at the same time; none may fail. */
    private int allowedWhile(Future<?> moving, RedisStore store, List<String> names, Policy policy) throws Exception {
        int allowed = 0;
        for (int round = 0; !moving.isDone() || round * AT_ONCE < PERMITS; round++) {
            List<Caller> callers = IntStream.range(round * AT_ONCE, (round + 1) * AT_ONCE).mapToObj(
                    call -> new Caller(store,
                            StoreRequests.requestOf(policy, PermitRequest.of(1).withId(ids.incrementAndGet()),
                                    names.get(call % names.size()))))
                    .toList();
            List<CompletableFuture<StoreReply>> replies = callers.stream().map(Caller::decide).toList();
            for (int i = 0; i < AT_ONCE; i++) {
                allowed += callers.get(i).request.allowedBy(replies.get(i).get(10, TimeUnit.SECONDS)) ? 1 : 0;
            }
        }
        return allowed;
    }
}
