package io.quarkiverse.ratelimit.runtime.store.memory;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;

/** The store in memory stays small, whatever is counted. */
class LocalStoreMemoryTest {

    private static final Policy BUCKET = policy("bucket", Limit.tokenBucket(10).refill(1, Duration.ofDays(1)));
    private static final Policy LOG = policy("log", Limit.slidingLog(1_000_000, Duration.ofDays(1)));
    private static final Policy RUNNING = policy("running", Limit.concurrency(10_000));

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final StateMap states = new StateMap();
    private final LocalStore store = new LocalStore(clock::get, states);

    @Test
    void expiredMarksAreRemoved() {
        for (int id = 0; id < 100; id++) {
            store.decideNow(StoreRequests.operation("p", "c", new MarkOnce("short" + id, Duration.ofSeconds(1))));
        }
        store.decideNow(StoreRequests.operation("p", "c", new MarkOnce("long", Duration.ofDays(1))));
        clock.addAndGet(Duration.ofSeconds(2).toNanos() / 1_000);

        store.decideNow(StoreRequests.operation("p", "c", new MarkOnce("new", Duration.ofDays(1))));

        assertThat(states.of(new LimitKey("p", "l0", "c")).weight).isEqualTo(1 + 2);
    }

    @Test
    void longLogsPushOthersOut() {
        for (int caller = 0; caller < 30; caller++) {
            StoreRequest request = requestOf("c" + caller, 1, LOG);
            for (int call = 0; call < 33_000; call++) {
                clock.incrementAndGet();
                decide(request);
            }
        }

        assertThat(states.size()).isEqualTo(24);
    }

    @Test
    void longestLogCountsAllCallsAndLeavesRoomForOthers() {
        decide(BUCKET, "other", 10);
        Policy log = policy("log", Limit.slidingLog(1_100_000, Duration.ofHours(1)));
        StoreRequest request = requestOf("c", 1, log);
        long allowed = 0;
        for (int call = 0; call < 1_200_000; call++) {
            clock.addAndGet(1_000);
            allowed += decide(request);
        }

        assertThat(allowed).isEqualTo(1_100_000);
        assertThat(decide(BUCKET, "other", 1)).isZero();

        clock.addAndGet(Duration.ofMinutes(40).plusSeconds(1).toNanos() / 1_000);
        assertThat(decide(log, "c", 1_001)).as("more than the calls of the first second").isZero();
        clock.addAndGet(Duration.ofHours(1).dividedBy(1 << 17).toNanos() / 1_000);
        assertThat(decide(log, "c", 1_000)).isEqualTo(1_000);
    }

    @Test
    void manyHeldPermitsEvictOtherStates() {
        for (int caller = 0; caller < 60; caller++) {
            decide(RUNNING, "c" + caller, 10_000);
        }

        assertThat(states.size()).isEqualTo(19);
    }

    @Test
    void callerWithLittleUsageIsOneOfMany() {
        decideOnce("c", 250_000);

        assertThat(states.size()).isEqualTo(200_000);
    }

    @Test
    void whatMattersLongerThanAtFirstIsKeptLonger() {
        decide(BUCKET, "c", 1);
        clock.addAndGet(Duration.ofHours(12).toNanos() / 1000);
        decide(BUCKET, "c", 9);
        clock.addAndGet(Duration.ofDays(5).toNanos() / 1000);

        assertThat(decide(BUCKET, "c", 6)).as("4.5 permits are still in use").isZero();
        assertThat(decide(BUCKET, "c", 5)).isEqualTo(5);
    }

    @Test
    void expiredStatesAreEvicted() {
        decideOnce("early", 1000);
        clock.addAndGet(Duration.ofDays(2).toNanos() / 1000);
        decideOnce("late", 500);

        assertThat(states.size()).isEqualTo(500);
    }

    @Test
    void expiredStatesAreEvictedWithoutCallsOfOthers() {
        decideOnce("early", 1000);
        clock.addAndGet(Duration.ofDays(1).toNanos() / 1000);
        for (int call = 0; call < 16_000; call++) {
            clock.addAndGet(Duration.ofDays(1).toNanos() / 1000);
            decide(BUCKET, "late", 1);
        }

        assertThat(states.size()).isEqualTo(1);
    }

    @Test
    void callerWithMuchUsageIsNotEvicted() {
        decide(BUCKET, "c", 10);
        decideOnce("other", 250_000);

        assertThat(decide(BUCKET, "c", 1)).isZero();
    }

    private void decideOnce(String callers, int count) {
        for (int caller = 0; caller < count; caller++) {
            decide(BUCKET, callers + caller, 1);
        }
    }

    private long decide(Policy policy, String caller, long cost) {
        return decide(requestOf(caller, cost, policy));
    }

    private long decide(StoreRequest request) {
        return store.decideNow(request).limits().get(0).granted();
    }
}
