package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.granted;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.inUse;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** Requests of all threads get replies from Redis, those of one iteration of an event loop from one call. */
class RedisStoreTest {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private static final Policy TEN = policy("ten", Limit.tokenBucket(10).refill(1, Duration.ofHours(1)));
    private static RedisStore store;

    @BeforeAll
    static void open() {
        store = REDIS.newStore(Duration.ofSeconds(5));
    }

    @AfterAll
    static void close() {
        store.close();
    }

    @Test
    void tenAreAllowedAndTheEleventhIsNot() {
        StoreRequest request = requestOf("alice", 1, TEN);

        List<Boolean> allowed = IntStream.range(0, 11).mapToObj(i -> request.allowedBy(decide(request))).toList();

        assertThat(allowed.subList(0, 10)).containsOnly(true);
        assertThat(allowed.get(10)).isFalse();
        assertThat(REDIS.send(Command.EXISTS, "test:{alice}:ten:l0:tb1").toInteger()).isEqualTo(1);
    }

    @Test
    void canceledRequestCountsAndItsReplyIsDiscarded() throws Exception {
        StoreRequest request = requestOf("gone", 1, TEN);
        List<Object> received = new CopyOnWriteArrayList<>();

        REDIS.signal("STOP");
        try {
            store.decide(request).subscribe().with(received::add, received::add).cancel();
        } finally {
            REDIS.signal("CONT");
        }
        List<Boolean> allowed = IntStream.range(0, 10).mapToObj(i -> request.allowedBy(decide(request))).toList();

        assertThat(allowed.subList(0, 9)).containsOnly(true);
        assertThat(allowed.get(9)).isFalse();
        assertThat(received).isEmpty();
    }

    @Test
    void requestsOfOneIterationAreOneCall() {
        decide(requestOf("warm", 1, TEN));
        REDIS.send(Command.CONFIG, "RESETSTAT");

        List<Boolean> allowed = onEventLoop(31, i -> requestOf("iteration", 1, TEN));

        assertThat(Collections.frequency(allowed, true)).isEqualTo(10);
        assertThat(allowed.subList(0, 10)).as("in the order of the requests").containsOnly(true);
        assertThat(REDIS.calls("evalsha")).isEqualTo(1);
    }

    @Test
    void redisWithLittleToDoGetsRequestsBeforeTheIterationEnds() {
        decide(requestOf("warm", 1, TEN));
        REDIS.send(Command.CONFIG, "RESETSTAT");

        List<Boolean> allowed = onEventLoop(50, i -> requestOf("early", 1, TEN));

        assertThat(allowed.subList(0, 10)).as("in the order of the requests").containsOnly(true);
        assertThat(allowed.subList(10, 50)).containsOnly(false);
        assertThat(REDIS.calls("evalsha")).isEqualTo(2);
    }

    @Test
    void manyRequestsOfOneIterationAreAFewCalls() {
        decide(requestOf("warm", 1, TEN));
        REDIS.send(Command.CONFIG, "RESETSTAT");

        List<Boolean> allowed = onEventLoop(5_000, i -> requestOf("many" + i % 100, 1, TEN));

        assertThat(Collections.frequency(allowed, true)).isEqualTo(1_000);
        assertThat(REDIS.calls("evalsha")).isLessThanOrEqualTo(80);
    }

    @Test
    void aCallThatOnePolicyDeniesIsChargedByNone() {
        Policy one = policy("one", Limit.tokenBucket(1).refill(1, Duration.ofHours(1)));
        decide(requestOf("bob", 1, one));

        StoreReply denied = decide(requestOf("bob", 1, TEN, one));

        assertThat(granted(denied)).containsExactly(1, 0);
        assertThat(REDIS.send(Command.EXISTS, "test:{bob}:ten:l0:tb1").toInteger()).isZero();
    }

    @Test
    void shadowPoliciesAreApartFromTheOthersAndFromEachOther() {
        Limit narrow = Limit.tokenBucket(1).refill(1, Duration.ofHours(1));
        StoreRequest request = requestOf("carol", 1, policy("shadow1", Mode.SHADOW, TEN.limits().get(0).limit(), narrow), TEN,
                policy("shadow2", Mode.SHADOW, narrow));
        decide(request);
        REDIS.send(Command.DEL, "test:{carol}:shadow2:l0:tb1");

        StoreReply reply = decide(request);

        assertThat(request.allowedBy(reply)).as("shadow1 denies to no effect").isTrue();
        assertThat(granted(reply)).containsExactly(1, 0, 1, 1);
        StoreReply after = decide(request);
        assertThat(inUse(after, 0)).as("shadow1 charged the first call only").isEqualTo(1);
        assertThat(inUse(after, 2)).as("ten charged both").isEqualTo(2);
        assertThat(REDIS.send(Command.EXISTS, "test:{carol}:shadow2:l0:tb1").toInteger()).isEqualTo(1);
    }

    @Test
    void workersAndPlainThreadsGetReplies() {
        // several threads cannot initialize context propagation at the same time
        store.decide(requestOf("warm-up", 1, TEN)).subscribeAsCompletionStage().join();
        List<CompletableFuture<StoreReply>> replies = Collections.synchronizedList(new ArrayList<>());
        Runnable decide = () -> replies.add(store.decide(requestOf("threads", 1, TEN)).subscribeAsCompletionStage());

        IntStream.range(0, 4).mapToObj(i -> new Thread(decide)).peek(Thread::start).toList().forEach(this::join);
        IntStream.range(0, 20).mapToObj(i -> REDIS.vertx.executeBlocking(() -> {
            decide.run();
            return i;
        }, false)).toList().forEach(RealRedis::await);

        assertThat(replies).hasSize(24);
        assertThat(replies.stream().map(CompletableFuture::join).filter(requestOf("threads", 1, TEN)::allowedBy)).hasSize(10);
    }

    @Test
    void keysOfCallsInOneBatchExpire() {
        onEventLoop(20, call -> requestOf("batch-" + call, 1, TEN));

        for (int call = 0; call < 20; call++) {
            assertThat(REDIS.send(Command.PTTL, "test:{batch-" + call + "}:ten:l0:tb1").toLong())
                    .isBetween(1L, Duration.ofHours(1).plusSeconds(1).toMillis());
        }
    }

    private static StoreReply decide(StoreRequest request) {
        return store.decide(request).await().atMost(Duration.ofSeconds(10));
    }

    private static List<Boolean> onEventLoop(int count, java.util.function.IntFunction<StoreRequest> requests) {
        Boolean[] allowed = new Boolean[count];
        CompletableFuture<Void> done = new CompletableFuture<>();
        int[] completed = new int[1];
        REDIS.vertx.runOnContext(ignored -> {
            for (int i = 0; i < count; i++) {
                int n = i;
                StoreRequest request = requests.apply(i);
                Consumer<StoreReply> arrived = reply -> {
                    allowed[n] = request.allowedBy(reply);
                    if (++completed[0] == count) {
                        done.complete(null);
                    }
                };
                store.decide(request).subscribe().with(arrived, done::completeExceptionally);
            }
        });
        done.orTimeout(10, TimeUnit.SECONDS).join();
        return List.of(allowed);
    }

    private void join(Thread thread) {
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
