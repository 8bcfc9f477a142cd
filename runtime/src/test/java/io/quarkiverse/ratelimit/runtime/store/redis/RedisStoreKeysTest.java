package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.states;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** Keys live as long as they matter, and are written only when something is charged or repaired. */
class RedisStoreKeysTest {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private static final DecideScript SCRIPT = new DecideScript("test", Clock.systemUTC());
    private static RedisStore store;

    @BeforeAll
    static void open() {
        store = RedisStore.single(REDIS.vertx, RedisConnector.to(REDIS::newClient), Duration.ofSeconds(5),
                SCRIPT);
    }

    @AfterAll
    static void close() {
        store.close();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aKeyLivesUntilTheLimitIsFullAndAtMostASecondMore(Kind kind) {
        Policy policy = policy("live-" + kind, limit(20, Duration.ofSeconds(60), kind));

        for (int cost = 1; cost <= 10; cost++) {
            long requested = System.nanoTime();
            LimitState state = decide(policy, cost > 5 ? 1 : cost);
            long left = ttl(policy);

            assertThat(left).isLessThanOrEqualTo(state.resetAfter().toMillis() + 1_000);
            assertThat(left).isGreaterThanOrEqualTo(state.resetAfter().toMillis() - millisSince(requested));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whatAnotherAlgorithmOrApplicationLeftCountsAsNone(Kind kind) {
        Policy policy = policy("foreign-" + kind, limit(3, Duration.ofHours(1), kind));
        List<Runnable> foreign = List.of(
                () -> REDIS.send(Command.SET, key(policy), "garbage"),
                () -> REDIS.send(Command.RPUSH, key(policy), "some", "garbage"),
                () -> REDIS.send(Command.RPUSH, key(policy), "garbage"),
                () -> REDIS.send(Command.ZADD, key(policy), "1", "garbage"));

        for (Runnable leave : foreign) {
            REDIS.send(Command.DEL, key(policy));
            leave.run();

            assertThat(decide(policy, 4).remaining()).isEqualTo(3);
            assertThat(decide(policy, 1).remaining()).isEqualTo(2);
            assertThat(decide(policy, 1).remaining()).isEqualTo(1);
            assertThat(ttl(policy)).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void nothingIsLeftBehind(Kind kind) {
        Policy policy = policy("left-" + kind, limit(10, Duration.ofMillis(300), kind));
        REDIS.send(Command.CONFIG, "RESETSTAT");
        beginWindowOf(300_000);
        decide(policy, 10);
        SCRIPT.moveClock(0);

        await().until(() -> REDIS.send(Command.EXISTS, key(policy)).toInteger() == 0);
        assertThat(REDIS.send(Command.INFO, "stats").toString()).as("it was there")
                .containsPattern("\nexpired_keys:[1-9]");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void deniedCallsLeaveTheKeyAsItIs(Kind kind) {
        Policy policy = policy("denied-" + kind, limit(10, Duration.ofDays(300), kind));
        decide(policy, 10);
        byte[] before = dump(policy);
        long left = ttl(policy);
        REDIS.send(Command.CONFIG, "RESETSTAT");

        for (int i = 0; i < 20; i++) {
            assertThat(decide(policy, 1 + i).allowed()).isFalse();
        }

        assertThat(dump(policy)).isEqualTo(before);
        assertThat(ttl(policy)).isLessThanOrEqualTo(left);
        for (String write : List.of("set", "del", "pexpire", "ltrim", "lpush", "rpush", "lset")) {
            assertThat(REDIS.calls(write)).as(write).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void deniedCallsCreateNoKey(Kind kind) {
        Policy policy = policy("never-" + kind, limit(10, Duration.ofDays(300), kind));

        assertThat(decide(policy, 11).allowed()).isFalse();

        assertThat(REDIS.send(Command.EXISTS, key(policy)).toInteger()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aKeyFromTheFutureIsRepairedByADeniedCallAndOnce(Kind kind) {
        Policy policy = policy("future-" + kind, limit(10, Duration.ofHours(1), kind));
        SCRIPT.moveClock(Duration.ofDays(10).toNanos() / 1_000);
        decide(policy, 10);
        SCRIPT.moveClock(0);
        byte[] future = dump(policy);

        assertThat(decide(policy, 1).allowed()).isFalse();
        byte[] repaired = dump(policy);
        assertThat(decide(policy, 1).resetAfter()).isLessThanOrEqualTo(Duration.ofHours(kind == Kind.SLIDING_WINDOW ? 2 : 1));

        assertThat(repaired).isNotEqualTo(future);
        assertThat(dump(policy)).isEqualTo(repaired);
        assertThat(ttl(policy)).isLessThanOrEqualTo(Duration.ofHours(2).toMillis());
    }

    @Test
    void heldPermitsLiveUntilTheLastOfThemComesBack() {
        Policy policy = policy("held", Limit.concurrency(10).leaseTime(Duration.ofSeconds(30)));
        Policy longer = policy("held", Limit.concurrency(10).leaseTime(Duration.ofSeconds(90)));

        long began = System.nanoTime();
        hold(policy, 1);
        assertThat(ttl(policy)).isBetween(30_000 - millisSince(began), 31_000L);
        hold(longer, 2);
        hold(policy, 3);
        assertThat(ttl(policy)).isBetween(90_000 - millisSince(began), 91_000L);
        release(policy, 2);
        assertThat(ttl(policy)).isBetween(30_000 - millisSince(began), 31_000L);
        release(policy, 3);
        release(policy, 1);
        assertThat(REDIS.send(Command.EXISTS, key(policy)).toInteger()).isZero();
    }

    @Test
    void permitsWithoutARefundExpire() {
        Policy policy = policy("crashed", Limit.concurrency(10).leaseTime(Duration.ofSeconds(1)));
        hold(policy, 1);

        await().until(() -> REDIS.send(Command.EXISTS, key(policy)).toInteger() == 0);
    }

    @Test
    void permitsThatHaveComeBackAreRemovedByTheNextCall() {
        Policy policy = policy("expired", Limit.concurrency(10).leaseTime(Duration.ofSeconds(30)));
        SCRIPT.moveClock(Duration.ofSeconds(-31).toNanos() / 1_000);
        hold(policy, 1);
        SCRIPT.moveClock(0);

        hold(policy, 2);

        assertThat(REDIS.send(Command.ZCOUNT, key(policy), 0, "+inf").toInteger()).isOne();
    }

    @Test
    void aKeyOfAnotherTypeCountsAsNoneAndIsReplaced() {
        Policy window = policy("window", Limit.fixedWindow(3, Duration.ofHours(1)));
        Policy concurrency = policy("concurrency", Limit.concurrency(3));
        REDIS.send(Command.ZADD, key(window), "1", "garbage");
        REDIS.send(Command.SET, key(concurrency), "garbage");

        assertThat(decide(concurrency, 4).remaining()).isEqualTo(3);
        release(concurrency, 1);
        assertThat(REDIS.send(Command.GET, key(concurrency))).hasToString("garbage");
        assertThat(decide(window, 1).remaining()).isEqualTo(2);
        assertThat(decide(window, 1).remaining()).isEqualTo(1);
        hold(concurrency, 1);
        hold(concurrency, 2);

        assertThat(REDIS.send(Command.ZCOUNT, key(concurrency), 0, "+inf").toInteger()).isEqualTo(2);
        assertThat(ttl(window)).isPositive();
        assertThat(ttl(concurrency)).isPositive();
    }

    @Test
    void deniedCallsLeaveHeldPermitsAsTheyAre() {
        Policy policy = policy("full", Limit.concurrency(1));
        hold(policy, 1);
        String before = members(policy);
        REDIS.send(Command.CONFIG, "RESETSTAT");

        for (int id = 2; id < 10; id++) {
            hold(policy, id);
        }

        assertThat(members(policy)).isEqualTo(before);
        assertThat(REDIS.calls("zadd") + REDIS.calls("zremrangebyscore") + REDIS.calls("pexpire")).isZero();
    }

    private enum Kind {
        EVENLY,
        AT_ONCE,
        WINDOW,
        SLIDING_WINDOW,
        SLIDING_LOG
    }

    private static Limit limit(long permits, Duration period, Kind kind) {
        return switch (kind) {
            case EVENLY -> Limit.tokenBucket(permits).refill(permits, period);
            case AT_ONCE -> Limit.tokenBucket(permits).refillInterval(permits, period);
            case WINDOW -> Limit.fixedWindow(permits, period);
            case SLIDING_WINDOW -> Limit.slidingWindow(permits, period);
            case SLIDING_LOG -> Limit.slidingLog(permits, period);
        };
    }

    /** Lets the script's clock be at a multiple of this number of microseconds, or hardly later. */
    private static void beginWindowOf(long micros) {
        SCRIPT.moveClock(micros - System.currentTimeMillis() * 1_000 % micros);
    }

    private static void hold(Policy policy, long id) {
        decide(policy, policy.limits().get(0).rule().acquire(new PermitRequest(1, OperationKind.ACQUIRE, id)));
    }

    private static void release(Policy policy, long id) {
        decide(policy, policy.limits().get(0).rule().refund(null, 0, 1, id));
    }

    private static void decide(Policy policy, Operation operation) {
        store.decide(StoreRequests.operation(policy.name(), policy.limits().get(0).limit(), "k", operation)).await()
                .atMost(Duration.ofSeconds(10));
    }

    private static String members(Policy policy) {
        return REDIS.send(Command.ZRANGE, key(policy), "0", "-1", "WITHSCORES").toString();
    }

    /** Rounded up, as Redis rounds, too. */
    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos) + 2;
    }

    private static byte[] dump(Policy policy) {
        return REDIS.send(Command.DUMP, key(policy)).toBytes();
    }

    private static String key(Policy policy) {
        return "test:{k}:" + policy.name() + ":" + policy.limits().get(0).storedName();
    }

    private static long ttl(Policy policy) {
        return REDIS.send(Command.PTTL, key(policy)).toLong();
    }

    private static LimitState decide(Policy policy, long cost) {
        StoreRequest request = requestOf("k", cost, policy);
        return states(request, cost, store.decide(request).await().atMost(Duration.ofSeconds(10)), policy).get(0);
    }
}
