package io.quarkiverse.ratelimit.runtime.store.memory;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.granted;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.states;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.memory.StateMap.State;

/** Threads that decide at the same time neither grant more than the limits nor charge only some of them. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalStoreThreadsTest {

    private static final int REQUESTS = 100_000;
    private static final int CALLERS = 40;
    private static final long PERMITS = 3_000;
    private static final Limit LIMIT = Limit.tokenBucket(PERMITS).refill(1, Duration.ofDays(1));
    private static final Policy ONE = policy("one", LIMIT), TWO = policy("two", LIMIT, Limit.tokenBucket(2 * PERMITS)
            .refill(1, Duration.ofDays(1)));

    private final StateMap states = new StateMap();
    private final LocalStore store = new LocalStore(() -> 1_763_640_000_000_000L, states);

    @Test
    void chargesOfSeveralCallersAreExact() {
        Map<String, LongAdder> charged = new ConcurrentHashMap<>();
        inTwoThreads(thread -> {
            Random random = new Random(thread);
            for (int i = 0; i < REQUESTS; i++) {
                String first = "caller" + random.nextInt(CALLERS), second = "caller" + random.nextInt(CALLERS);
                StoreRequest request = thread == 0 ? both(ONE, first, TWO, second) : both(TWO, second, ONE, first);
                if (request.allowedBy(store.decideNow(request))) {
                    charged.computeIfAbsent("one " + first, key -> new LongAdder()).increment();
                    charged.computeIfAbsent("two " + second, key -> new LongAdder()).increment();
                }
            }
        });

        assertThat(charged).hasSize(2 * CALLERS);
        for (int i = 0; i < CALLERS; i++) {
            long one = charged.get("one caller" + i).sum(), two = charged.get("two caller" + i).sum();
            assertThat(left(ONE, "caller" + i)).containsExactly(PERMITS - one);
            assertThat(left(TWO, "caller" + i)).containsExactly(PERMITS - two, 2 * PERMITS - two);
        }
        assertThat(charged.values()).as("limits that were used up").anyMatch(sum -> sum.sum() == PERMITS);
    }

    @Test
    void oneCallerGetsExactlyItsPermits() {
        LongAdder granted = new LongAdder();
        inTwoThreads(thread -> {
            for (int i = 0; i < PERMITS; i++) {
                granted.add(granted(store.decideNow(requestOf("caller", 1, ONE)))[0]);
            }
        });

        assertThat(granted.sum()).isEqualTo(PERMITS);
    }

    @Test
    void memoryIsFullToTheLastKeyAndNoFurther() {
        inTwoThreads(thread -> {
            for (int i = 0; i < 150_000; i++) {
                store.decideNow(requestOf(thread + "caller" + i, 1, ONE));
            }
        });

        assertThat(states.size()).isEqualTo(StateMap.MAX_WEIGHT);
    }

    @Test
    void stateThatIsRemovedWhileACallWaitsForItIsReplaced() throws Exception {
        State state = states.of(new LimitKey("one", "l0:tb1", "caller"));
        Thread waiting = new Thread(() -> store.decideNow(requestOf("caller", 1, ONE)));
        synchronized (state) {
            waiting.start();
            await().until(() -> waiting.getState() == Thread.State.BLOCKED);
            states.remove(state);
        }
        waiting.join();

        assertThat(left(ONE, "caller")).containsExactly(PERMITS - 1);
    }

    @Test
    void statesAreLockedInTheOrderOfTheirKeys() throws Exception {
        StoreRequest descending = both(ONE, "b", ONE, "a");
        Thread waiting = new Thread(() -> store.decideNow(descending));
        synchronized (states.of(new LimitKey("one", "l0:tb1", "a"))) {
            waiting.start();
            await().until(() -> waiting.getState() == Thread.State.BLOCKED);
            assertThat(left(ONE, "b")).as("is not locked yet").containsExactly(PERMITS);
        }
        waiting.join();

        assertThat(left(ONE, "b")).containsExactly(PERMITS - 1);
    }

    @Test
    void deniedCallersLeaveNoTrace() {
        inTwoThreads(thread -> {
            for (int i = 0; i < 1_000; i++) {
                store.decideNow(requestOf(thread + "caller" + i, PERMITS + 1, ONE));
            }
        });

        assertThat(states.size()).isZero();
    }

    private static StoreRequest both(Policy policy, String caller, Policy other, String otherCaller) {
        return new Call(0, List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1)), caller),
                new KeyedCharge(new Charge(other, PermitRequest.of(1)), otherCaller)), null).request();
    }

    /** The permits left; acquires nothing, as it requests more than there can be. */
    private Stream<Long> left(Policy policy, String caller) {
        StoreRequest request = requestOf(caller, 1_000_000, policy);
        return states(request, 1_000_000, store.decideNow(request), policy).stream().map(state -> state.remaining());
    }

    private static void inTwoThreads(IntConsumer work) {
        CyclicBarrier start = new CyclicBarrier(2);
        CompletableFuture<?>[] threads = new CompletableFuture<?>[2];
        for (int i = 0; i < threads.length; i++) {
            int thread = i;
            threads[i] = CompletableFuture.runAsync(() -> {
                try {
                    start.await(10, TimeUnit.SECONDS);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                work.accept(thread);
            }, runnable -> new Thread(runnable).start());
        }
        CompletableFuture.allOf(threads).join();
    }
}
