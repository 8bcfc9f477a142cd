package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.KeyLayout;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisDenials;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.DocumentedKeys;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** Instances with different algorithms for one limit, as while a change is rolled out, use different keys. */
class LayoutInKeysTest {

    private static final Duration SOON = Duration.ofSeconds(20), HOUR = Duration.ofHours(1);
    private static final PermitRequest ONE = PermitRequest.of(1);
    /** The same policy with each layout, two per hour. */
    private static final Map<KeyLayout, Policy> POLICIES = Stream.of(Limit.tokenBucket(2).refill(2, HOUR),
            Limit.tokenBucket(2).refillInterval(2, HOUR), Limit.fixedWindow(2, HOUR), Limit.slidingWindow(2, HOUR),
            Limit.slidingLog(2, HOUR), Limit.concurrency(2)).map(limit -> policy("policy", limit))
            .collect(Collectors.toMap(policy -> policy.limits().get(0).rule().layout(), Function.identity()));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private RedisStore store;
    private TestLimiter limiter;

    @BeforeEach
    void open() {
        REDIS.send(Command.FLUSHALL);
        store = REDIS.newStore(SOON);
        limiter = new TestLimiter(store, new LocalStore(() -> 0), REDIS.vertx, SOON);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void eachLayoutHasItsKey() {
        assertThat(POLICIES).containsOnlyKeys(KeyLayout.values());
        POLICIES.values().forEach(policy -> limiter.decide(policy, "caller", ONE));

        assertThat(keys()).containsExactlyInAnyOrder("test:{caller}:policy:l0:tb1", "test:{caller}:policy:l0:ti1",
                "test:{caller}:policy:l0:fw1", "test:{caller}:policy:l0:sw1", "test:{caller}:policy:l0:sl1",
                "test:{caller}:policy:l0:co1");
    }

    @Test
    void aLeakyBucketAndABucketThatDelaysShareTheirKey() {
        limiter.decide(policy("policy", Limit.leakyBucket(2, HOUR, HOUR)), "caller", ONE);
        limiter.decide(policy("policy", Limit.tokenBucket(2).refill(2, HOUR).maxWait(HOUR)), "caller", ONE);

        assertThat(keys()).containsExactly("test:{caller}:policy:l0:tb1");
    }

    @Test
    void allCallersTogetherHaveAKeyOfEachLayoutToo() {
        limiter.decide(POLICIES.get(KeyLayout.FIXED_WINDOW), "", ONE);

        assertThat(keys()).containsExactly("test:{policy}:l0:fw1");
    }

    @Test
    void aResetReachesAllLayouts() {
        POLICIES.values().forEach(policy -> limiter.decide(policy, "caller", ONE));
        limiter.decide(POLICIES.get(KeyLayout.FIXED_WINDOW), "other", ONE);

        limiter.administration.reset(POLICIES.get(KeyLayout.TOKEN_BUCKET), "caller").await().atMost(SOON);

        assertThat(keys()).containsExactly("test:{other}:policy:l0:fw1");
    }

    @Test
    void aRefundGoesToTheLayoutInWhichThePermitsWereAcquired() {
        POLICIES.forEach((layout, policy) -> {
            if (layout != KeyLayout.CONCURRENCY) {
                Outcome acquired = limiter.decide(policy, "caller", PermitRequest.of(2));
                assertThat(remaining(policy)).as(policy.toString()).isZero();

                limiter.refunds.refund(acquired).await().atMost(SOON);

                assertThat(remaining(policy)).as(policy.toString()).isEqualTo(2);
                limiter.decide(policy, "caller", ONE);
            }
        });

        assertThat(POLICIES.entrySet()).filteredOn(entry -> entry.getKey() != KeyLayout.CONCURRENCY)
                .allSatisfy(entry -> assertThat(remaining(entry.getValue())).isEqualTo(1));
    }

    /** Everything that an application leaves in Redis, for one caller and for all callers together. */
    @Test
    void thePageOnKeysListsEveryKind() {
        Penalty penalty = new Penalty(1, HOUR, HOUR, HOUR);
        for (String caller : List.of("key=caller", "")) {
            POLICIES.values().forEach(policy -> limiter.decide(policy, caller, ONE));
            Policy window = POLICIES.get(KeyLayout.FIXED_WINDOW);
            limiter.decide(window.withPenalty(penalty), caller, PermitRequest.of(3));
            limiter.refunds.refund(limiter.decide(window, caller, ONE)).await().atMost(SOON);
        }
        new RedisOverrides(store, "test").put("policy", "text", HOUR).await().atMost(SOON);
        new RedisOverrides(store, "test").pause("policy", "!policy key=caller", HOUR).await().atMost(SOON);
        new RedisDenials(store, "test").add("policy", 1, Map.of("key=caller", 1L)).await().atMost(SOON);

        List<String> keys = REDIS.send(Command.KEYS, "*").stream().map(Object::toString).toList();

        DocumentedKeys.assertListed("test", DocumentedKeys.ANY_CALLER, keys);
        assertThat(DocumentedKeys.kinds("test", DocumentedKeys.ANY_CALLER))
                .allSatisfy((kind, form) -> assertThat(keys).anyMatch(form.asMatchPredicate()));
    }

    @Test
    void aKeyOfAnotherKindIsFound() {
        for (String key : List.of("test:{key=caller}:policy:l0:zz1", "test:{key=caller}:policy:l0", "test:{policy}:marks",
                "test:{overrides}.blocks", "test:{denied:policy}:6", "other:{policy}:l0:tb1")) {
            assertThatThrownBy(
                    () -> DocumentedKeys.assertListed("test", DocumentedKeys.ANY_CALLER, List.of("test:{overrides}", key)))
                    .isInstanceOf(AssertionError.class).hasMessageContaining(key);
        }
    }

    private long remaining(Policy policy) {
        RateLimitDecision peeked = limiter.decide(policy, "caller", PermitRequest.PEEK).decisions().get(0);
        return peeked.remaining();
    }

    private static List<String> keys() {
        return REDIS.send(Command.KEYS, "test:*").stream().map(Object::toString)
                .filter(key -> !key.endsWith(":refunds:ids")).toList();
    }
}
