package io.quarkiverse.ratelimit.runtime.engine.limits;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** An override that one instance sets applies on the others after their next refresh. */
class OverridesOnTwoInstancesTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private static final LimiterClock CLOCK = new LimiterClock();
    private static RedisStore store;

    private final Policy policy = policy("policy", Limit.tokenBucket(10), Limit.slidingLog(10, HOUR));
    private final AtomicLong micros = new AtomicLong();
    private Overrides here, there;

    @BeforeAll
    static void open() {
        store = REDIS.newStore(Duration.ofSeconds(5), CLOCK);
        store.open().toCompletableFuture().join();
    }

    @AfterAll
    static void close() {
        store.close();
    }

    @BeforeEach
    void twoInstances() {
        REDIS.send(Command.FLUSHALL);
        CLOCK.reset();
        here = new Overrides(new RedisOverrides(store, "test"), micros::get);
        there = new Overrides(new RedisOverrides(store, "test"), micros::get);
    }

    @Test
    void everyKindOfLimitArrivesAsItWasPut() {
        for (Limit limit : new Limit[] { Limit.tokenBucket(3).refillInterval(2, HOUR).maxWait(Duration.ofSeconds(9)),
                Limit.leakyBucket(3, HOUR, Duration.ofSeconds(1)), Limit.fixedWindow(4, CalendarPeriod.MONTH),
                Limit.slidingWindow(5, Duration.ofMillis(1)), Limit.slidingLog(6, HOUR),
                Limit.concurrency(7).leaseTime(Duration.ofSeconds(3)) }) {
            here.put(policy, "", Map.of("l1", limit), HOUR, Change.BY_CODE).await().atMost(SOON);
            there.refresh().await().atMost(SOON);

            assertThat(there.inForce(policy, null, "").limits()).extracting("limit")
                    .containsExactly(Limit.tokenBucket(10), limit);
            assertThat(here.inForce(policy, null, "")).isEqualTo(there.inForce(policy, null, ""));
        }
    }

    @Test
    void removalArrivesToo() {
        here.put(policy, "alice", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
        here.put(policy, "bob", Map.of("l0", Limit.tokenBucket(4)), HOUR, Change.BY_CODE).await().atMost(SOON);
        there.refresh().await().atMost(SOON);
        assertThat(permits("alice")).isEqualTo(3);

        here.remove(policy, "alice").await().atMost(SOON);
        there.refresh().await().atMost(SOON);

        assertThat(permits("alice")).isEqualTo(permits(null));
        assertThat(permits("bob")).isEqualTo(4);
        here.remove(policy, "bob").await().atMost(SOON);
        there.refresh().await().atMost(SOON);
        assertThat(permits("bob")).isEqualTo(permits(null));
    }

    @Test
    void keyOfAnotherTypeIsReplaced() {
        here.put(policy, "alice", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
        there.refresh().await().atMost(SOON);
        REDIS.send(Command.SET, "test:{overrides}", "garbage");

        there.refresh().await().atMost(SOON);
        assertThat(permits("alice")).isEqualTo(permits(null));

        for (Runnable change : List.<Runnable> of(
                () -> here.put(policy, "bob", Map.of("l0", Limit.tokenBucket(4)), HOUR, Change.BY_CODE).await().atMost(SOON),
                () -> here.block(policy, "bob", HOUR, Change.BY_CODE).await().atMost(SOON),
                () -> here.remove(policy, "bob").await().atMost(SOON))) {
            REDIS.send(Command.SET, "test:{overrides}", "garbage");
            change.run();
            assertThat(REDIS.send(Command.TYPE, "test:{overrides}").toString()).isIn("hash", "none");
        }
    }

    @Test
    void planComesBeforeAnOverrideForAllAlsoWhereAllShareOneCount() {
        Plan plan = new Plan(null, false, Map.of("l0", Limit.tokenBucket(50)));
        here.put(policy, "", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);

        assertThat(here.inForce(policy, null, "").limits().get(0).limit().permits()).isEqualTo(3);
        assertThat(here.inForce(policy, plan, "").limits().get(0).limit().permits()).isEqualTo(50);
        assertThat(here.inForce(policy, Plan.UNLIMITED, "")).isNull();
    }

    @Test
    void overrideEndsInTimeWhereNobodyLooks() {
        here.put(policy, "carol", Map.of("l0", Limit.tokenBucket(3)), Duration.ofSeconds(30), Change.BY_CODE).await()
                .atMost(SOON);
        there.refresh().await().atMost(SOON);

        advance(Duration.ofSeconds(29));
        assertThat(permits("carol")).isEqualTo(3);
        advance(Duration.ofSeconds(1));

        assertThat(permits("carol")).isEqualTo(permits(null));
    }

    @Test
    void lostRedisDataEndsOverrides() {
        here.put(policy, "dave", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
        there.refresh().await().atMost(SOON);
        assertThat(permits("dave")).isEqualTo(3);

        REDIS.send(Command.FLUSHALL);
        there.refresh().await().atMost(SOON);

        assertThat(permits("dave")).isEqualTo(10);
    }

    @Test
    void blockAndItsEndArrive() {
        here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON);
        there.refresh().await().atMost(SOON);

        assertThat(there.forKey(policy, "alice")).isSameAs(there.forKey(policy, "alice")).returns(true,
                Policy::isBlocked);
        assertThat(there.blocks(policy)).extracting(StoredOverride::storedKey).containsExactly("alice");
        here.unblock(policy, "alice").await().atMost(SOON);
        there.refresh().await().atMost(SOON);

        assertThat(there.forKey(policy, "alice")).isSameAs(policy);
        assertThat(there.areEmpty()).isTrue();
        assertThat(keys()).isZero();
    }

    @Test
    void callersThatAreNotBlockedPayNothing() {
        Policy everybody = policy("everybody", Limit.tokenBucket(1));
        here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON);
        here.block(everybody, "", HOUR, Change.BY_CODE).await().atMost(SOON);

        assertThat(here.inForce(policy, null, "")).isSameAs(policy);
        assertThat(here.forKey(policy, "bob")).isSameAs(policy);
        assertThat(here.inForce(everybody, null, "bob")).isSameAs(everybody);
        assertThat(here.forKey(everybody, "").isBlocked()).isTrue();
        assertThat(here.mayDelay()).isFalse();
        here.put(policy, "bob", Map.of("l0", Limit.tokenBucket(1).maxWait(HOUR)), HOUR, Change.BY_CODE).await().atMost(SOON);
        assertThat(here.mayDelay()).isTrue();
    }

    @Test
    void blockThatHasEndedLeavesNothing() {
        for (boolean others : new boolean[] { false, true }) {
            here.block(policy, "alice", Duration.ofMinutes(1), Change.BY_CODE).await().atMost(SOON);
            here.block(policy, "bob", Duration.ofMinutes(2), Change.BY_CODE).await().atMost(SOON);
            if (others) {
                here.put(policy, "carol", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
            }
            there.refresh().await().atMost(SOON);

            advance(Duration.ofSeconds(119));
            there.refresh().await().atMost(SOON);
            assertThat(there.blocks(policy)).extracting(StoredOverride::storedKey).containsExactly("bob");
            advance(Duration.ofSeconds(1));
            there.refresh().await().atMost(SOON);
            here.refresh().await().atMost(SOON);

            for (Overrides instance : List.of(here, there)) {
                assertThat(instance.areEmpty()).isEqualTo(!others);
                assertThat(instance.forKey(policy, "bob")).isSameAs(policy);
            }
            // the version is a field, too
            assertThat(REDIS.send(Command.HLEN, "test:{overrides}").toInteger()).isEqualTo(others ? 2 : 0);
        }
    }

    @Test
    void blockIsStoredBesideAnOverride() {
        here.put(policy, "alice", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
        here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON);
        there.refresh().await().atMost(SOON);

        assertThat(there.overrides(policy)).hasSize(1);
        assertThat(there.forKey(policy, "alice")).returns(true, Policy::isBlocked)
                .returns(3L, blocked -> blocked.limits().get(0).limit().permits());
        here.remove(policy, "alice").await().atMost(SOON);
        there.refresh().await().atMost(SOON);
        assertThat(there.forKey(policy, "alice").isBlocked()).isTrue();
    }

    @Test
    void noMoreThanTenThousandAreKept() {
        RedisOverrides texts = new RedisOverrides(store, "test");
        REDIS.send(Command.HSET, Stream.concat(Stream.of("test:{overrides}"), IntStream.range(0, 10_000).boxed()
                .flatMap(text -> Stream.of("p" + text, "4000000000000000 {}"))).toArray());

        assertThatThrownBy(() -> here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON))
                .hasMessageContaining("there are 10000 overrides and blocks already, remove some first");

        texts.remove("p7").await().atMost(SOON);
        here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON);
        here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON);
    }

    @Test
    void pausesAndOverridesTakeNoRoomOfEachOther() {
        RedisOverrides texts = new RedisOverrides(store, "test");
        REDIS.send(Command.HSET, Stream.concat(Stream.of("test:{overrides}"), IntStream.range(0, 9_999).boxed()
                .flatMap(text -> Stream.of("p" + text, "4000000000000000 {}"))).toArray());
        for (int key = 0; key < 1_001; key++) {
            texts.pause("policy", "!policy key" + key, HOUR).await().atMost(SOON);
        }
        here.block(policy, "alice", HOUR, Change.BY_CODE).await().atMost(SOON);

        assertThatThrownBy(() -> here.block(policy, "bob", HOUR, Change.BY_CODE).await().atMost(SOON))
                .hasMessageContaining("there are 10000 overrides and blocks already, remove some first");
        texts.pause("policy", "!policy one more", HOUR).await().atMost(SOON);
        assertThat(texts.changedSince("", 0).await().atMost(SOON).texts()).hasSize(10_000);
    }

    @Test
    void nothingIsLeftBehind() {
        here.put(policy, "erin", Map.of("l0", Limit.tokenBucket(3)), Duration.ofSeconds(1), Change.BY_CODE).await()
                .atMost(SOON);
        here.remove(policy, "erin").await().atMost(SOON);
        REDIS.send(Command.FLUSHALL);
        here.put(policy, "erin", Map.of("l0", Limit.tokenBucket(3)), Duration.ofSeconds(1), Change.BY_CODE).await()
                .atMost(SOON);
        assertThat(keys()).isEqualTo(1);

        await().atMost(SOON).until(() -> keys() == 0);
    }

    @Test
    void textOfALaterVersionIsLeftOut() {
        new RedisOverrides(store, "test").put("policy frank", "{\"l0\":{\"algorithm\":\"MAGIC\"}}", HOUR)
                .await().atMost(SOON);
        here.put(policy, "grace", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
        there.refresh().await().atMost(SOON);

        assertThat(permits("frank")).isEqualTo(permits(null));
        assertThat(permits("grace")).isEqualTo(3);
    }

    private static int keys() {
        return REDIS.send(Command.DBSIZE).toInteger();
    }

    /** Moves the time of both instances and of Redis. */
    private void advance(Duration time) {
        micros.addAndGet(time.toNanos() / 1_000);
        CLOCK.advance(time);
    }

    private long permits(String caller) {
        return (caller == null ? there.inForce(policy, null, "")
                : there.forKey(there.inForce(policy, null, ""), caller)).limits().get(0).limit()
                .permits();
    }
}
