package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.states;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.limits.StoredOverride;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/**
 * Decisions count what earlier versions have left in Redis, by the code of the layout in the key. A changed layout fails this
 * test: it needs a new code, and a line in the page on upgrades.
 */
class LayoutStoredTest {

    private static final long NOW = 1_763_640_000_000_000L, SECOND = 1_000_000, HOUR = 3600 * SECOND;
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Limit BUCKET = Limit.tokenBucket(10).refill(10, Duration.ofHours(1));
    private static final Policy POLICY = policy("policy", BUCKET);
    /** Interval permits period at level rest since. */
    private static final String BUCKET_LAYOUT = "BI4dddI4I7";

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();
    private static final AtomicLong CLOCK = new AtomicLong(NOW);
    private static RedisStore store;

    @BeforeAll
    static void open() {
        store = FrozenRedis.store(REDIS, CLOCK::get);
    }

    @AfterEach
    void nothingIsLeft() {
        REDIS.send(Command.FLUSHALL);
    }

    @AfterAll
    static void close() {
        store.close();
    }

    @Test
    void aTokenBucketCounts() {
        REDIS.send(Command.SET, key("l0:tb1"), pack(BUCKET_LAYOUT, 0, 10, HOUR, NOW, HOUR * 6 / 10, 0, NOW - HOUR));

        assertThat(decide(BUCKET).remaining()).isEqualTo(3);
    }

    @Test
    void aTokenBucketThatRefillsAtOnceCounts() {
        REDIS.send(Command.SET, key("l0:ti1"), pack(BUCKET_LAYOUT, 1, 10, HOUR, NOW, 6, 0, NOW));

        assertThat(decide(Limit.tokenBucket(10).refillInterval(10, Duration.ofHours(1))).remaining()).isEqualTo(3);
    }

    @Test
    void aFixedWindowCounts() {
        REDIS.send(Command.SET, key("l0:fw1"), pack("ddd", NOW - NOW % HOUR + HOUR, NOW - 1, 6));

        assertThat(decide(Limit.fixedWindow(10, Duration.ofHours(1))).remaining()).isEqualTo(3);
    }

    @Test
    void aSlidingWindowCounts() {
        REDIS.send(Command.SET, key("l0:sw1"), pack("I6I7I7I7I7", HOUR, NOW - 1, NOW, 0, 6));

        assertThat(decide(Limit.slidingWindow(10, Duration.ofHours(1))).remaining()).isEqualTo(3);
    }

    @Test
    void aSlidingLogCounts() {
        REDIS.send(Command.RPUSH, key("l0:sl1"), pack("I7I5", NOW - SECOND, 6), pack("I7I5", NOW - 2 * SECOND, 0));

        assertThat(decide(Limit.slidingLog(10, Duration.ofHours(1))).remaining()).isEqualTo(3);
    }

    @Test
    void concurrencyCounts() {
        for (int index = 0; index < 6; index++) {
            REDIS.send(Command.ZADD, key("l0:co1"), NOW + HOUR, pack("I7I1I4", 77, 0, index));
        }
        REDIS.send(Command.ZADD, key("l0:co1"), -NOW, "");

        assertThat(decide(Limit.concurrency(10)).remaining()).isEqualTo(3);
    }

    @Test
    void aPenaltyBlocks() {
        Policy policy = policy("policy", BUCKET)
                .withPenalty(new Penalty(3, Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(4)));
        REDIS.send(Command.SET, key("penalty:state"), pack("I7I7I7", NOW - SECOND, NOW + HOUR, HOUR));

        assertThat(decide(requestOf("alice", 1, policy)).blockedFor(1)).isEqualTo(Duration.ofHours(1));
    }

    /** Until 2026-11-29, keys did not contain a layout. */
    @Test
    void aKeyWithoutALayoutDoesNotCountAndStays() {
        REDIS.send(Command.SET, key("l0"), pack(BUCKET_LAYOUT, 0, 10, HOUR, NOW, HOUR * 6 / 10, 0, NOW - HOUR));

        assertThat(decide(BUCKET).remaining()).isEqualTo(9);
        assertThat(decide(BUCKET).remaining()).isEqualTo(8);
        assertThat(REDIS.send(Command.STRLEN, key("l0")).toInteger()).isEqualTo(pack(BUCKET_LAYOUT).length);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 12, 20, 26, 32, 33, 39, 41, 46, 48, 53, 55, 72, 74 })
    void aStateOfAnyOtherSizeCountsAsNone(int size) {
        for (Limit limit : List.of(BUCKET, Limit.fixedWindow(10, Duration.ofHours(1)),
                Limit.slidingWindow(10, Duration.ofHours(1)), Limit.slidingLog(10, Duration.ofHours(1)))) {
            REDIS.send(Command.SET, key(StoreRequests.storedName(limit)), "C".repeat(size));

            assertThat(decide(limit).remaining()).isEqualTo(9);
        }
    }

    /** Until 2026-11-25, code blocked a key by the state of the penalty, also in a policy without one. */
    @Test
    void aBlockByCodeInThatStateHasNoEffectWithoutAPenalty() {
        REDIS.send(Command.SET, key("penalty:state"), pack("I7I7I7", NOW - SECOND, NOW + HOUR, HOUR));

        assertThat(decide(BUCKET)).returns(true, LimitState::allowed).returns(9L, LimitState::remaining);
    }

    /** Until 2026-11-25, the version was only the time of the last change. */
    @Test
    void overridesWithTheEarlierVersionAreReadAndChanged() {
        override("", String.valueOf(NOW));
        override("policy alice", inTenDays() + " " + override(20));
        Overrides overrides = new Overrides(new RedisOverrides(store, "test"), () -> 0);

        overrides.refresh().await().atMost(SOON);
        assertThat(permits(overrides, "alice")).isEqualTo(20);

        overrides.put(POLICY, "bob", Map.of("l0", Limit.tokenBucket(30)), Duration.ofHours(1), Change.BY_CODE).await()
                .atMost(SOON);
        assertThat(permits(overrides, "alice")).isEqualTo(20);
        assertThat(permits(overrides, "bob")).isEqualTo(30);
    }

    /** Until 2026-11-29, the text of a block was empty. */
    @Test
    void blocksWithoutTheirChangeAreRead() {
        override("", NOW + " " + inTenDays());
        override("!policy alice", inTenDays() + " ");
        Overrides overrides = new Overrides(new RedisOverrides(store, "test"), () -> 0);

        overrides.refresh().await().atMost(SOON);

        assertThat(overrides.blocks(POLICY)).singleElement().returns("alice", StoredOverride::storedKey)
                .returns(Change.BY_CODE, StoredOverride::change);
    }

    @Test
    void anOverrideThatThisVersionCannotReadIsIgnoredAndNotDeleted() {
        override("", NOW + " " + inTenDays());
        override("policy alice", inTenDays() + " {\"l0\":{\"algorithm\":\"OF_ANOTHER_VERSION\"}}");
        override("policy bob", inTenDays() + " " + override(20));
        Overrides overrides = new Overrides(new RedisOverrides(store, "test"), () -> 0);

        overrides.refresh().await().atMost(SOON);

        assertThat(permits(overrides, "alice")).isEqualTo(10);
        assertThat(permits(overrides, "bob")).isEqualTo(20);
        assertThat(REDIS.send(Command.HEXISTS, "test:{overrides}", "policy alice").toInteger()).isOne();
    }

    private static void override(String name, String text) {
        REDIS.send(Command.HSET, "test:{overrides}", name, text);
    }

    private static String override(int permits) {
        return "{\"l0\":{\"algorithm\":\"TOKEN_BUCKET\",\"permits\":" + permits + ",\"period\":\"PT1H\",\"burst\":" + permits
                + ",\"refill\":\"GREEDY\",\"max-wait\":\"PT0S\",\"calendar\":null,\"zone\":null,\"lease-time\":\"PT30S\","
                + "\"counts\":\"COST\"}}";
    }

    private static long permits(Overrides overrides, String key) {
        return overrides.forKey(POLICY, key).limits().get(0).limit().permits();
    }

    private static long inTenDays() {
        return (System.currentTimeMillis() + Duration.ofDays(10).toMillis()) * 1_000;
    }

    private static String key(String limit) {
        return "test:{alice}:policy:" + limit;
    }

    /** The state after a call that costs 1. */
    private static LimitState decide(Limit limit) {
        Policy policy = policy("policy", limit);
        StoreRequest request = requestOf("alice", 1, policy);
        return states(request, 1, decide(request), policy).get(0);
    }

    private static StoreReply decide(StoreRequest request) {
        return store.decide(request).await().atMost(SOON);
    }

    /** Packs like {@code struct} of Lua: B and I with a size are integers, d is a double, all little-endian. */
    private static byte[] pack(String types, long... values) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        List<String> all = Pattern.compile("B|I\\d|d").matcher(types).results().map(MatchResult::group).toList();
        for (int i = 0; i < all.size(); i++) {
            long value = i < values.length ? values[i] : 0;
            boolean isDouble = all.get(i).equals("d");
            int size = isDouble ? Double.BYTES : all.get(i).equals("B") ? 1 : all.get(i).charAt(1) - '0';
            long bits = isDouble ? Double.doubleToLongBits(value) : value;
            for (int place = 0; place < size; place++) {
                packed.write((int) (bits >>> place * Byte.SIZE));
            }
        }
        return packed.toByteArray();
    }
}
