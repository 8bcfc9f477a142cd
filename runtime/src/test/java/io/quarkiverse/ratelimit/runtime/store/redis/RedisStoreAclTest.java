package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** The commands that the limiter's user needs are those that are documented, and no others. */
class RedisStoreAclTest {

    private static final List<String> NEEDED = List.of("+evalsha", "+eval", "+time", "+get", "+set");

    /** As docs/modules/ROOT/pages/reference/configuration.adoc lists them. */
    private static final List<String> EVERYTHING = List.of("+evalsha", "+eval", "+time", "+get", "+set", "+del",
            "+pexpire", "+pttl", "+lindex", "+llen", "+lrange", "+lpush", "+rpush", "+ltrim", "+lset", "+lrem", "+zcount",
            "+zscore", "+zrange", "+zadd", "+zrem", "+zremrangebyscore", "+hget", "+hgetall", "+hset", "+hdel");
    private static final Duration DAY = Duration.ofDays(1);

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();

    @Test
    void theDocumentedCommandsAreEnough() {
        assertThat(works("enough", NEEDED)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "+evalsha", "+eval", "+time", "+get", "+set" })
    void noneOfThemCanBeLeftOut(String command) {
        List<String> fewer = new ArrayList<>(NEEDED);
        fewer.remove(command);

        assertThat(works("without" + command.substring(1), fewer)).isFalse();
    }

    @Test
    void allDocumentedCommandsAreEnoughForEverything() {
        try (RedisStore store = storeOf("everything", EVERYTHING)) {
            for (Limit limit : List.of(Limit.tokenBucket(10), Limit.fixedWindow(10, DAY), Limit.slidingWindow(10, DAY),
                    Limit.slidingLog(10, DAY), Limit.concurrency(10))) {
                LimitRule rule = PolicyLimit.ruleOf(limit);
                for (OperationKind kind : OperationKind.values()) {
                    StoreRequest request = requestOf(rule.acquire(new PermitRequest(8, kind, kind.ordinal())));
                    StoreReply reply = decide(store, request);
                    LimitState acquired = reply.usage(0).state("l", PermitRequest.of(8), reply.time(), true);
                    decide(store, requestOf(rule.refund(acquired, reply.time(), 3, kind.ordinal())));
                }
                decide(store, requestOf(PlainOperation.RESET));
                decide(store, requestOf(new MarkOnce("1", DAY)));
                decide(store, requestOf(PlainOperation.RESET));
            }
            OverrideStore overrides = new RedisOverrides(store, "test");
            overrides.put("name", "text", DAY).await().atMost(Duration.ofSeconds(5));
            assertThat(overrides.changedSince("", 0).await().atMost(Duration.ofSeconds(5)).texts()).containsKey("name");
            for (int key = 0; key <= OverrideStore.MAX_PAUSES_OF_POLICY; key++) {
                overrides.pause("p", "!p key" + key, DAY).await().atMost(Duration.ofSeconds(5));
            }
            assertThat(overrides.pausesSince("", 0).await().atMost(Duration.ofSeconds(5)).changes())
                    .hasSize(OverrideStore.MAX_PAUSES_OF_POLICY);
            overrides.endPause("p", "!p key7").await().atMost(Duration.ofSeconds(5));
            overrides.remove("name").await().atMost(Duration.ofSeconds(5));
            DenialStore denials = new RedisDenials(store, "test");
            denials.add("p", 1_000, manyKeys()).await().atMost(Duration.ofSeconds(5));
            assertThat(denials.most("p", 1).await().atMost(Duration.ofSeconds(5))).hasSize(1);
        }
    }

    @Test
    void refundsNeedTheirDocumentedCommandsOnly() {
        try (RedisStore store = storeOf("refunds",
                List.of("+evalsha", "+eval", "+time", "+get", "+set", "+del", "+zscore", "+zadd",
                        "+zrange", "+zrem", "+pexpire"))) {
            LimitRule rule = PolicyLimit.ruleOf(Limit.tokenBucket(10));
            StoreReply reply = decide(store, requestOf(rule.acquire(PermitRequest.of(8))));
            LimitState acquired = reply.usage(0).state("l", PermitRequest.of(8), reply.time(), true);
            for (String id : List.of("1", "2")) {
                decide(store, new StoreRequest(List.of(
                        StoreRequests.operation("p", "ids", "caller", new MarkOnce(id, Duration.ofNanos(1_000))),
                        StoreRequests.operation("p", "l0", "caller", rule.refund(acquired, reply.time(), 3, 0)))));
            }
        }
    }

    @Test
    void userWhoMayNotReadOverridesDecidesWithoutThem() {
        try (RedisStore store = storeOf("no-overrides", NEEDED)) {
            OverrideStore overrides = new RedisOverrides(store, "test");

            assertThat(overrides.changedSince("", 0).subscribeAsCompletionStage()).failsWithin(Duration.ofSeconds(5));
            assertThat(new Caller(store, "no-overrides", 10).isAllowed()).isTrue();
        }
    }

    @Test
    void overridesAndBlocksNeedTheirDocumentedCommandsOnly() {
        try (RedisStore store = storeOf("overrides", List.of("+evalsha", "+eval", "+time", "+get", "+set", "+hget", "+hgetall",
                "+hset", "+hdel", "+pexpire", "+del"))) {
            Overrides overrides = new Overrides(new RedisOverrides(store, "test"), System::currentTimeMillis);
            Policy policy = StoreRequests.policy("acl", Limit.tokenBucket(10));
            Duration soon = Duration.ofSeconds(5);

            overrides.put(policy, "alice", Map.of("l0", Limit.tokenBucket(20)), DAY, Change.BY_CODE).await().atMost(soon);
            overrides.block(policy, "alice", DAY, Change.BY_CODE).await().atMost(soon);
            assertThat(overrides.forKey(policy, "alice").isBlocked()).isTrue();
            assertThat(overrides.forKey(policy, "alice").limits().get(0).limit().permits()).isEqualTo(20);
            overrides.remove(policy, "alice").await().atMost(soon);
            assertThat(overrides.overrides(policy)).isEmpty();
        }
    }

    /** More than a set keeps. */
    private static Map<String, Long> manyKeys() {
        return IntStream.range(0, RedisDenials.MAX_KEYS + 10).boxed()
                .collect(Collectors.toMap(key -> "ip=" + key, key -> 1L));
    }

    @Test
    void denialsAreCountedWithTheirDocumentedCommandsOnly() {
        try (RedisStore store = storeOf("denials",
                List.of("+evalsha", "+eval", "+time", "+zscore", "+zrange", "+zadd", "+zrem", "+pexpire",
                        "+zremrangebyscore"))) {
            DenialStore denials = new RedisDenials(store, "test");
            denials.add("acl", 1_000, manyKeys()).await().atMost(Duration.ofSeconds(5));
            assertThat(denials.most("acl", 100).await().atMost(Duration.ofSeconds(5))).hasSize(100);
        }
    }

    private static StoreReply decide(RedisStore store, StoreRequest request) {
        return store.decide(request).await().atMost(Duration.ofSeconds(5));
    }

    @Test
    void whatRunsAtTheSameTimeNeedsSortedSets() {
        List<String> commands = List.of("+evalsha", "+eval", "+time", "+set", "+zcount", "+zscore", "+zrange", "+zadd", "+zrem",
                "+zremrangebyscore", "+pexpire", "+del");
        LimitRule rule = PolicyLimit.ruleOf(Limit.concurrency(1));
        REDIS.send(Command.SET, "test:{sets}:p:l", "not ours");
        try (RedisStore store = storeOf("sets", commands)) {
            for (int call = 1; call <= 3; call++) {
                assertThat(new Caller(store, requestOf(rule.acquire(new PermitRequest(1, OperationKind.ACQUIRE, call))))
                        .isAllowed())
                        .isTrue();
                assertThat(new Caller(store, requestOf(rule.refund(null, 0, 1, call))).isAllowed()).isTrue();
            }
        }
    }

    private static StoreRequest requestOf(Operation operation) {
        return StoreRequests.operation("p", "sets", operation);
    }

    private static boolean works(String user, List<String> commands) {
        try (RedisStore store = storeOf(user, commands)) {
            Caller caller = new Caller(store, user, 10);
            return caller.isAllowed() && caller.isAllowed();
        }
    }

    private static RedisStore storeOf(String user, List<String> commands) {
        List<Object> rules = new ArrayList<>(List.of("SETUSER", user, "on", ">secret", "~test:*"));
        rules.addAll(commands);
        REDIS.send(Command.ACL, rules.toArray());
        REDIS.send(Command.SCRIPT, "FLUSH");
        String address = "redis://" + user + ":secret@127.0.0.1:" + REDIS.port();
        return REDIS.newStore(() -> REDIS.newClient(address), Duration.ofSeconds(2));
    }
}
