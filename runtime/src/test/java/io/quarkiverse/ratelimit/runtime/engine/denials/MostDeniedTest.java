package io.quarkiverse.ratelimit.runtime.engine.denials;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisDenials;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** Two instances with one Redis. */
class MostDeniedTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private static final LimiterClock CLOCK = new LimiterClock();
    private static RedisStore store;

    private final Policy policy = policy("p" + UUID.randomUUID(), Limit.tokenBucket(10));
    private final MostDenied here = instance();
    private final MostDenied there = instance();

    @BeforeAll
    static void open() {
        store = REDIS.newStore(Duration.ofSeconds(5), CLOCK);
        store.open().toCompletableFuture().join();
    }

    @AfterAll
    static void close() {
        store.close();
    }

    @AfterEach
    void resetClock() {
        CLOCK.reset();
    }

    @Test
    void denialsOfAllInstancesAreCounted() {
        deny(here, "alice", 3);
        deny(there, "bob", 4);
        deny(there, "alice", 2);
        there.move().await().atMost(SOON);

        assertThat(most(here, 10)).extracting(DeniedKey::key).containsExactly("alice", "bob");
        assertThat(most(here, 10)).extracting(DeniedKey::denials).containsExactly(5L, 4L);
        assertThat(most(here, 1)).extracting(DeniedKey::key).containsExactly("alice");
    }

    @Test
    void totalCountsAlsoKeysThatAreNotKept() {
        for (int key = 0; key < 1_500; key++) {
            deny(here, "key" + key, 2);
        }
        deny(there, "alice", 3);
        move();

        assertThat(here.total(policy).await().atMost(SOON)).isEqualTo(3_003);
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(here.total(policy).await().atMost(SOON)).isZero();
    }

    @Test
    void keysOfAnotherTypeAreReplaced() {
        deny(here, "alice", 3);
        move();
        List<String> sets = REDIS.send(Command.KEYS, "*" + policy.name() + "*").stream().map(Response::toString).toList();
        assertThat(sets).isNotEmpty();
        sets.forEach(set -> REDIS.send(Command.SET, set, "garbage"));
        assertThat(most(here, 10)).isEmpty();
        sets.forEach(set -> REDIS.send(Command.SET, set, "garbage"));

        deny(here, "bob", 2);
        move();

        assertThat(most(here, 10)).extracting(DeniedKey::key).containsExactly("bob");
    }

    @Test
    void denialsExpireAfterAMinute() {
        deny(here, "alice", 3);
        move();
        CLOCK.advance(Duration.ofSeconds(49));
        deny(here, "bob", 1);
        assertThat(most(here, 10)).extracting(DeniedKey::key).containsExactly("alice", "bob");

        CLOCK.advance(Duration.ofSeconds(11));
        assertThat(most(here, 10)).extracting(DeniedKey::key).containsExactly("bob");
        deny(here, "bob", 1);
        assertThat(most(here, 10)).extracting(DeniedKey::denials).containsExactly(2L);

        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(most(here, 10)).isEmpty();
    }

    @Test
    void onlyDenialsOfKeysAreCounted() {
        here.decided(policy.name(), Effect.ALLOWED, decision("alice", null));
        here.decided(policy.name(), Effect.SHADOW_DENIED, decision("alice", DenialReason.LIMIT_REACHED));
        here.decided(policy.name(), Effect.EXEMPT, null);
        here.decided(policy.name(), Effect.DENIED, decision("", DenialReason.MISSING_KEY));
        here.decided(policy.name(), Effect.DENIED, decision("alice", DenialReason.REDIS_UNAVAILABLE));
        here.decided("made-by-code", Effect.DENIED, decision("alice", DenialReason.LIMIT_REACHED));
        assertThat(most(here, 10)).isEmpty();

        here.decided(policy.name(), Effect.DENIED, decision("alice", DenialReason.COST_ABOVE_CAPACITY));
        assertThat(most(here, 10)).hasSize(1);
    }

    @Test
    void nothingIsSentWhileNothingIsDenied() {
        REDIS.send(Command.CONFIG, "RESETSTAT");
        move();
        assertThat(REDIS.calls("evalsha")).isZero();

        deny(here, "alice", 1);
        move();
        assertThat(REDIS.calls("evalsha")).isEqualTo(1);
    }

    @Test
    void redisIsBoundedWhateverKeysCallersChoose() {
        for (int second = 0; second < 20; second++) {
            for (int key = 0; key < 2_000; key++) {
                deny(here, second + "-" + key, 1);
            }
            move();
        }

        List<String> keys = keysInRedis();
        assertThat(keys).hasSizeBetween(1, 6);
        assertThat(keys).allSatisfy(key -> {
            assertThat(REDIS.send(Command.ZCARD, key).toLong()).isBetween(3L, 302L);
            assertThat(REDIS.send(Command.PTTL, key).toLong()).isBetween(45_000L, 60_000L);
        });
        assertThat(most(here, 100)).hasSize(100);
    }

    /** As documented: the ten callers denied most are right, and 90 of the hundred. */
    @Test
    void callersDeniedMostAreFoundAmongAHundredThousand() {
        int callers = 100_000;
        double[] shares = zipf(callers);
        SplittableRandom random = new SplittableRandom(7);
        Map<String, Long> exact = new HashMap<>();
        for (int second = 0; second < 20; second++) {
            for (int denial = 0; denial < 20_000; denial++) {
                String key = "caller" + rank(shares, random.nextDouble());
                exact.merge(key, 1L, Long::sum);
                deny(denial % 2 == 0 ? here : there, key, 1);
            }
            move();
            CLOCK.advance(Duration.ofSeconds(1));
        }

        assertThat(precision(exact, 10)).isEqualTo(1);
        assertThat(precision(exact, 100)).isGreaterThanOrEqualTo(0.9);
        assertThat(most(here, 100)).allSatisfy(denied -> assertThat(denied.denials())
                .isLessThanOrEqualTo(exact.get(denied.key())).isGreaterThan(exact.get(denied.key()) * 2 / 3));
        assertThat(most(here, 10)).allSatisfy(
                denied -> assertThat(denied.denials()).isGreaterThan(exact.get(denied.key()) * 98 / 100));
    }

    /** The share of the returned keys that are really among the most denied; also the share of those that are returned. */
    private double precision(Map<String, Long> exact, int count) {
        List<String> right = exact.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Long> entry) -> -entry.getValue())).limit(count)
                .map(Map.Entry::getKey).toList();
        return (double) most(here, count).stream().filter(denied -> right.contains(denied.key())).count() / count;
    }

    private static double[] zipf(int callers) {
        double[] sums = new double[callers];
        double sum = 0;
        for (int i = 0; i < callers; i++) {
            sum += 1.0 / (i + 1);
            sums[i] = sum;
        }
        return sums;
    }

    private static int rank(double[] sums, double random) {
        int at = java.util.Arrays.binarySearch(sums, random * sums[sums.length - 1]);
        return at < 0 ? -at - 1 : at;
    }

    private MostDenied instance() {
        MostDenied instance = new MostDenied(new RedisDenials(store, "test"));
        instance.expect(List.of(policy));
        return instance;
    }

    private void deny(MostDenied instance, String key, int times) {
        for (int i = 0; i < times; i++) {
            instance.decided(policy.name(), Effect.DENIED, decision(key, DenialReason.LIMIT_REACHED));
        }
    }

    private Decision decision(String key, DenialReason reason) {
        return Decision.uncounted(policy, key, 0, Source.REDIS, reason);
    }

    private void move() {
        here.move().await().atMost(SOON);
        there.move().await().atMost(SOON);
    }

    private List<DeniedKey> most(MostDenied instance, int count) {
        return instance.mostDenied(policy, count).await().atMost(SOON);
    }

    private List<String> keysInRedis() {
        return REDIS.send(Command.KEYS, "test:{denied:" + policy.name() + "}:*").stream().map(Response::toString).toList();
    }
}
