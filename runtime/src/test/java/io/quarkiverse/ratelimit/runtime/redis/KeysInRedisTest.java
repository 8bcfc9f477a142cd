package io.quarkiverse.ratelimit.runtime.redis;

import static io.quarkiverse.ratelimit.runtime.store.Questions.policy;
import static io.quarkiverse.ratelimit.runtime.store.Questions.question;
import static io.quarkiverse.ratelimit.runtime.store.Questions.states;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.vertx.redis.client.Command;

/** Keys live as long as they matter, and are written only when something is charged or repaired. */
class KeysInRedisTest {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private static final AtomicLong OFFSET = new AtomicLong();
    private static RedisStore store;

    @BeforeAll
    static void open() {
        store = new RedisStore(REDIS.vertx, REDIS::newClient, Duration.ofSeconds(5),
                new DecideScript(new LimitKeys("test"), OFFSET::get, new ServerClock(Clock.systemUTC())));
    }

    @AfterAll
    static void close() {
        store.close();
    }

    @ParameterizedTest
    @EnumSource(Refill.class)
    void aKeyLivesUntilTheLimitIsFullAndAtMostASecondMore(Refill refill) {
        Policy policy = policy("live-" + refill, limit(20, Duration.ofSeconds(60), refill));

        for (int cost = 1; cost <= 10; cost++) {
            LimitState state = ask(policy, cost > 5 ? 1 : cost);
            long left = ttl(policy);

            assertThat(left).isLessThanOrEqualTo(state.resetAfter().toMillis() + 1_000);
            assertThat(left + 100).as("100 ms have hardly passed").isGreaterThanOrEqualTo(state.resetAfter().toMillis());
        }
    }

    @Test
    void whatIsNoBucketCountsAsNone() {
        Policy policy = policy("foreign", limit(3, Duration.ofHours(1), Refill.GREEDY));
        REDIS.send(Command.SET, key(policy), "garbage");

        assertThat(ask(policy, 1).remaining()).isEqualTo(2);
        assertThat(ask(policy, 1).remaining()).isEqualTo(1);
        assertThat(ttl(policy)).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Refill.class)
    void nothingIsLeftBehind(Refill refill) {
        Policy policy = policy("left-" + refill, limit(10, Duration.ofMillis(300), refill));
        ask(policy, 10);
        assertThat(REDIS.send(Command.EXISTS, key(policy)).toInteger()).isEqualTo(1);

        await().atMost(Duration.ofMillis(1_500)).until(() -> REDIS.send(Command.EXISTS, key(policy)).toInteger() == 0);
    }

    @ParameterizedTest
    @EnumSource(Refill.class)
    void refusedCallsLeaveTheKeyAsItIs(Refill refill) {
        Policy policy = policy("refused-" + refill, limit(10, Duration.ofDays(300), refill));
        ask(policy, 10);
        byte[] before = REDIS.send(Command.GET, key(policy)).toBytes();
        long left = ttl(policy);
        REDIS.send(Command.CONFIG, "RESETSTAT");

        for (int i = 0; i < 20; i++) {
            assertThat(ask(policy, 1 + i).allowed()).isFalse();
        }

        assertThat(REDIS.send(Command.GET, key(policy)).toBytes()).isEqualTo(before);
        assertThat(ttl(policy)).isLessThanOrEqualTo(left);
        assertThat(REDIS.calls("set")).isZero();
    }

    @Test
    void refusedCallsCreateNoKey() {
        Policy policy = policy("never", limit(10, Duration.ofDays(300), Refill.GREEDY));

        assertThat(ask(policy, 11).allowed()).isFalse();

        assertThat(REDIS.send(Command.EXISTS, key(policy)).toInteger()).isZero();
    }

    @Test
    void aKeyFromTheFutureIsRepairedByARefusedCallAndOnce() {
        Policy policy = policy("future", limit(10, Duration.ofHours(1), Refill.GREEDY));
        OFFSET.set(Duration.ofDays(10).toNanos() / 1_000);
        ask(policy, 10);
        OFFSET.set(0);
        byte[] future = REDIS.send(Command.GET, key(policy)).toBytes();

        assertThat(ask(policy, 1).allowed()).isFalse();
        byte[] repaired = REDIS.send(Command.GET, key(policy)).toBytes();
        assertThat(ask(policy, 1).resetAfter()).isLessThanOrEqualTo(Duration.ofHours(1));

        assertThat(repaired).isNotEqualTo(future);
        assertThat(REDIS.send(Command.GET, key(policy)).toBytes()).isEqualTo(repaired);
    }

    private static Limit limit(long permits, Duration period, Refill refill) {
        Limit bucket = Limit.tokenBucket(permits);
        return refill == Refill.GREEDY ? bucket.refill(permits, period) : bucket.refillInterval(permits, period);
    }

    private static String key(Policy policy) {
        return "test:{k}:" + policy.name() + ":l0";
    }

    private static long ttl(Policy policy) {
        return REDIS.send(Command.PTTL, key(policy)).toLong();
    }

    private static LimitState ask(Policy policy, long cost) {
        Question question = question("k", cost, policy);
        return states(question, cost, store.decide(question).await().atMost(Duration.ofSeconds(10)), policy).get(0);
    }
}
