package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Command;

/** Equal requests of one iteration of an event loop are one to Redis, and each of them gets its own reply or failure. */
class BatchTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Limit TEN_A_YEAR = Limit.tokenBucket(10).refill(10, Duration.ofDays(365));
    private static final Policy TEN = policy("ten", TEN_A_YEAR);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private static final Vertx ONE_LOOP = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private RedisStore store;

    @BeforeEach
    void open() {
        store = RedisStore.single(ONE_LOOP, RedisConnector.to(REDIS::newClient), TIMEOUT,
                new DecideScript("test", Clock.systemUTC()));
        store.open().toCompletableFuture().join();
        decide(2, i -> requestOf("warm", 1, TEN));
        REDIS.send(Command.FLUSHALL);
        REDIS.send(Command.CONFIG, "RESETSTAT");
    }

    @AfterEach
    void close() {
        store.close();
    }

    @AfterAll
    static void closeLoop() {
        RealRedis.await(ONE_LOOP.close());
    }

    @Test
    void thousandCallsOfOneCallerAreThreeRequests() {
        List<Boolean> allowed = decide(1_000, i -> requestOf("hot", 1, TEN));

        assertThat(allowed.subList(0, 10)).as("in the order of the requests").containsOnly(true);
        assertThat(allowed.subList(10, 1_000)).containsOnly(false);
        assertThat(List.of(REDIS.calls("evalsha"), REDIS.calls("get"), REDIS.calls("set")))
                .as("two of 32 that did not wait for the end of the iteration, and all others").containsExactly(3L, 3L, 1L);
    }

    @Test
    void otherCallersOfTheSameIterationAreDecidedByTheSameCall() {
        List<Boolean> allowed = decide(30, i -> requestOf(i % 2 == 0 ? "hot" : "caller" + i % 10, 1, TEN));

        assertThat(Collections.frequency(allowed, true)).isEqualTo(10 + 15);
        assertThat(REDIS.calls("evalsha")).isEqualTo(1);
        assertThat(REDIS.calls("set")).isEqualTo(6);
    }

    @Test
    void callersOfOtherLimitsInTheSameIterationGetTheirOwnReplies() {
        Policy one = policy("one", Limit.tokenBucket(1).refill(1, Duration.ofDays(300)));
        decide(4, i -> requestOf("caller" + (3 + i * 6), 1, one));

        List<Boolean> allowed = decide(24, i -> requestOf("caller" + i, 1, i % 2 == 0 ? TEN : one));

        assertThat(IntStream.range(0, 24).filter(i -> !allowed.get(i))).containsExactly(3, 9, 15, 21);
    }

    @Test
    void aSmallerCostBehindADeniedLargerOneIsStillAllowed() {
        List<Boolean> allowed = decide(8, i -> requestOf("costs", i % 2 == 0 ? 4 : 1, TEN));

        assertThat(allowed).containsExactly(true, true, true, true, false, false, false, false);
        assertThat(decide(5, i -> requestOf("cost", i == 4 ? 1 : 3, TEN))).containsExactly(true, true, true, false, true);
    }

    @Test
    void callsThatALaterLimitDeniesAreChargedByNone() {
        Policy two = policy("two", TEN_A_YEAR, Limit.fixedWindow(3, CalendarPeriod.YEAR, ZoneOffset.UTC));

        assertThat(Collections.frequency(decide(20, i -> requestOf("both", 1, two)), true)).isEqualTo(3);
        assertThat(Collections.frequency(decide(20, i -> requestOf("both", 1, policy("two", TEN_A_YEAR))), true)).isEqualTo(7);
    }

    @Test
    void callsThatCostOnePolicyMoreThanAnotherAreChargedByEachWhatTheyCost() {
        Policy other = policy("other", TEN_A_YEAR);
        Call call = new Call(0, List.of(new KeyedCharge(new Charge(TEN, PermitRequest.of(1)), "mixed"),
                new KeyedCharge(new Charge(other, PermitRequest.of(3)), "mixed")), null);
        StoreRequest both = call.request();

        assertThat(Collections.frequency(decide(5, i -> both), true)).isEqualTo(3);
        assertThat(Collections.frequency(decide(20, i -> requestOf("mixed", 1, TEN)), true)).isEqualTo(7);
        assertThat(Collections.frequency(decide(20, i -> requestOf("mixed", 1, other)), true)).isEqualTo(1);
    }

    @Test
    void aScriptThatWasLostChangesNothing() {
        REDIS.send(Command.SCRIPT, "FLUSH");

        assertThat(Collections.frequency(decide(50, i -> requestOf("lost", 1, TEN)), true)).isEqualTo(10);
    }

    @Test
    void aKeyThatCannotBeWrittenFailsAllAndChargesNone() {
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "1");
        try {
            assertThat(requested(20, i -> store.decide(requestOf("full", 1, TEN)))).allSatisfy(
                    reply -> assertThat(reply).failsWithin(TIMEOUT).withThrowableThat().withMessageContaining("OOM"));
        } finally {
            REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        }

        assertThat(Collections.frequency(decide(20, i -> requestOf("full", 1, TEN)), true)).isEqualTo(10);
    }

    @Test
    void lateRequestFailsAloneAndTheOthersGetReplies() throws Exception {
        REDIS.signal("STOP");
        long began = System.nanoTime() - TIMEOUT.toNanos() + TimeUnit.SECONDS.toNanos(2);
        List<CompletableFuture<Boolean>> replies;
        try {
            replies = requested(12,
                    i -> i == 0 ? store.decide(requestOf("late", 1, TEN), new Deadline(began, began + TIMEOUT.toNanos()))
                            : store.decide(requestOf("late", 1, TEN)));
            assertThat(replies.get(0)).failsWithin(TIMEOUT).withThrowableThat().withMessageContaining("in time");
        } finally {
            REDIS.signal("CONT");
        }

        List<Boolean> allowed = replies.subList(1, 12).stream().map(CompletableFuture::join).toList();
        assertThat(allowed.subList(0, 9)).as("it was charged for the late one, too").containsOnly(true);
        assertThat(allowed.subList(9, 11)).containsOnly(false);
    }

    private List<Boolean> decide(int count, IntFunction<StoreRequest> requests) {
        return requested(count, i -> store.decide(requests.apply(i))).stream().map(CompletableFuture::join).toList();
    }

    /** Sends requests in one iteration of the event loop, and returns which are allowed. */
    private static List<CompletableFuture<Boolean>> requested(int count, IntFunction<Uni<StoreReply>> requests) {
        CompletableFuture<List<CompletableFuture<Boolean>>> requested = new CompletableFuture<>();
        ONE_LOOP.runOnContext(ignored -> requested.complete(IntStream.range(0, count)
                .mapToObj(i -> requests.apply(i).map(BatchTest::allowed).subscribeAsCompletionStage()).toList()));
        return requested.join();
    }

    private static boolean allowed(StoreReply reply) {
        return reply.allows(0, reply.limits().size());
    }
}
