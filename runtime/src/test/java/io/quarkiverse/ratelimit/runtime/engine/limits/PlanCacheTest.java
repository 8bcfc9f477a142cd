package io.quarkiverse.ratelimit.runtime.engine.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.UniEmitter;

/** Plans of a bean are kept for ten seconds. */
class PlanCacheTest {

    private static final long LIFETIME = 10_000_000;
    private static final Plan GOLD = new Plan("gold", false, Map.of());
    private static final Plan SILVER = new Plan("silver", false, Map.of());

    private long now = 1_000_000_000;
    private final AtomicInteger calls = new AtomicInteger();
    private final PlanCache cache = new PlanCache(LIFETIME, () -> now);

    @Test
    void planIsKeptForItsTime() {
        assertThat(cache.upToDate("alice")).isNull();
        assertThat(get("alice", bean(GOLD))).isEqualTo(GOLD);

        now += LIFETIME - 1;
        assertThat(cache.upToDate("alice").plan).isEqualTo(GOLD);
        assertThat(get("alice", bean(SILVER))).isEqualTo(GOLD);
        assertThat(calls).hasValue(1);

        now += 1;
        assertThat(cache.upToDate("alice")).isNull();
        assertThat(get("alice", bean(SILVER))).isEqualTo(SILVER);
        assertThat(cache.upToDate("bob")).isNull();
    }

    @Test
    void missingPlanIsKeptToo() {
        assertThat(get("alice", bean(null))).isNull();

        assertThat(cache.upToDate("alice")).isNotNull();
        assertThat(get("alice", bean(GOLD))).isNull();
    }

    @Test
    void callersOfOneKeyShareACall() {
        List<UniEmitter<? super Plan>> pending = new ArrayList<>();
        List<UniAssertSubscriber<Plan>> callers = new ArrayList<>();
        for (int caller = 0; caller < 100; caller++) {
            callers.add(subscribe("alice", slow(pending)));
        }
        UniAssertSubscriber<Plan> other = subscribe("bob", slow(pending));

        assertThat(pending).hasSize(2);
        pending.get(0).complete(GOLD);

        assertThat(callers).allSatisfy(caller -> caller.assertCompleted().assertItem(GOLD));
        other.assertNotTerminated();
        assertThat(subscribe("alice", slow(pending)).getItem()).isEqualTo(GOLD);
        assertThat(pending).hasSize(2);
    }

    @Test
    void callerThatCancelsDoesNotCancelTheCall() {
        List<UniEmitter<? super Plan>> pending = new ArrayList<>();
        AtomicInteger canceled = new AtomicInteger();
        UniAssertSubscriber<Plan> first = subscribe("alice", slow(pending).onCancellation().invoke(canceled::incrementAndGet));
        UniAssertSubscriber<Plan> second = subscribe("alice", slow(pending));

        first.cancel();
        pending.get(0).complete(GOLD);

        second.assertItem(GOLD);
        assertThat(canceled).hasValue(0);
        assertThat(cache.upToDate("alice").plan).isEqualTo(GOLD);
    }

    @Test
    void lastKnownPlanAppliesWhileTheBeanFails() {
        get("alice", bean(GOLD));
        now += LIFETIME;

        assertThat(get("alice", failing())).isEqualTo(GOLD);
        assertThat(get("alice", failing())).isEqualTo(GOLD);
        assertThat(calls).as("one call a second").hasValue(2);
        now += 1_000_000;
        assertThat(get("alice", failing())).isEqualTo(GOLD);
        assertThat(calls).hasValue(3);
        now += 100 * LIFETIME;
        assertThat(get("alice", failing())).isEqualTo(GOLD);
        now += 1_000_000;
        assertThat(get("alice", bean(SILVER))).isEqualTo(SILVER);
    }

    @Test
    void missingPlanIsALastKnownPlan() {
        get("alice", bean(null));
        now += LIFETIME;

        assertThat(get("alice", failing())).isNull();
        assertThat(get("alice", bean(GOLD))).as("within a second").isNull();
    }

    @Test
    void firstFailureIsNotKept() {
        assertThat(get("alice", failing())).isNull();

        assertThat(get("alice", bean(GOLD))).isEqualTo(GOLD);
        assertThat(calls).hasValue(2);
    }

    @Test
    void keyThatWasUsedLeastRecentlyIsEvicted() {
        for (int key = 0; key < PlanCache.MAX_KEYS; key++) {
            get("key" + key, bean(GOLD));
        }
        assertThat(cache.upToDate("key0")).isNotNull();

        get("another", bean(GOLD));

        assertThat(cache.entries()).hasSize(PlanCache.MAX_KEYS);
        assertThat(cache.upToDate("key0")).isNotNull();
        assertThat(cache.upToDate("key1")).isNull();
        assertThat(cache.last("key1")).isNull();
    }

    @Test
    void planThatArrivesAfterAnEvictionIsNotKept() {
        List<UniEmitter<? super Plan>> pending = new ArrayList<>();
        UniAssertSubscriber<Plan> early = subscribe("alice", slow(pending));

        cache.evictAll();
        UniAssertSubscriber<Plan> late = subscribe("alice", slow(pending));
        pending.get(0).complete(GOLD);

        early.assertItem(GOLD);
        late.assertNotTerminated();
        assertThat(cache.upToDate("alice")).isNull();
        pending.get(1).complete(SILVER);
        late.assertItem(SILVER);
        assertThat(cache.upToDate("alice").plan).isEqualTo(SILVER);
    }

    @Test
    void threadsShareACall() throws Exception {
        int threads = 8;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < 500; round++) {
                String key = "key" + round;
                CountDownLatch start = new CountDownLatch(1);
                List<Future<Plan>> plans = new ArrayList<>();
                for (int thread = 0; thread < threads; thread++) {
                    plans.add(pool.submit(() -> {
                        start.await();
                        return get(key, bean(GOLD));
                    }));
                }
                start.countDown();
                for (Future<Plan> plan : plans) {
                    assertThat(plan.get(10, TimeUnit.SECONDS)).isEqualTo(GOLD);
                }
                assertThat(calls).hasValue(round + 1);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private Plan get(String key, Uni<Plan> bean) {
        return cache.get(key, bean).await().atMost(Duration.ofSeconds(10));
    }

    private UniAssertSubscriber<Plan> subscribe(String key, Uni<Plan> bean) {
        return cache.get(key, bean).subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private Uni<Plan> bean(Plan plan) {
        return Uni.createFrom().item(() -> {
            calls.incrementAndGet();
            return plan;
        });
    }

    private Uni<Plan> failing() {
        return Uni.createFrom().failure(() -> {
            calls.incrementAndGet();
            return new IllegalStateException("on purpose");
        });
    }

    private static Uni<Plan> slow(List<UniEmitter<? super Plan>> pending) {
        return Uni.createFrom().emitter(pending::add);
    }
}
