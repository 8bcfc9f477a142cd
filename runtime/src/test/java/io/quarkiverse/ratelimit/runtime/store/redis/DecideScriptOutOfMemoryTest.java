package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.MarkOnce;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript.ReplyReader;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** No new key is written beyond {@code maxmemory}, whatever else one call of the script does. */
class DecideScriptOutOfMemoryTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Limit BUCKET = Limit.tokenBucket(3).refill(3, MINUTE);
    private static final Limit LOG = Limit.slidingLog(3, MINUTE);
    private static final Limit CONCURRENCY = Limit.concurrency(3);
    static final List<Limit> LIMITS = List.of(
            BUCKET,
            Limit.tokenBucket(3).refillInterval(3, MINUTE),
            Limit.leakyBucket(3, MINUTE, MINUTE),
            Limit.fixedWindow(3, MINUTE),
            Limit.fixedWindow(3, CalendarPeriod.DAY),
            Limit.slidingWindow(3, MINUTE),
            LOG,
            CONCURRENCY);

    static final List<Limit> REFUNDABLE = LIMITS.stream()
            .filter(limit -> limit.algorithm() != Algorithm.CONCURRENCY && limit.algorithm() != Algorithm.LEAKY_BUCKET)
            .toList();

    /** Whole minutes, so that windows are not over a moment later; about now, for the sake of calendars. */
    private static final long NOW = System.currentTimeMillis() / 60_000 * 60_000_000;

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();

    private final AtomicLong clock = new AtomicLong(NOW);
    private final DecideScript script = FrozenRedis.script(clock::get);

    /** An operation that needs no memory: Redis allows it, and then checks no other command of the script. */
    private record Freeing(String name, StoreRequest before, StoreRequest request) {

        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Freeing> FREEING = List.of(
            new Freeing("release", acquire(CONCURRENCY, 2),
                    one(CONCURRENCY, PolicyLimit.ruleOf(CONCURRENCY).refund(null, 0, 1, 0))),
            new Freeing("refund of a log", acquire(LOG, 2), one(LOG, PolicyLimit.ruleOf(LOG).refund(null, NOW, 2, 0))),
            new Freeing("refund of a bucket", acquire(BUCKET, 2), refund(BUCKET)),
            new Freeing("reset", acquire(BUCKET, 1), one(BUCKET, PlainOperation.RESET)),
            new Freeing("reset of nothing", one(BUCKET, PlainOperation.RESET), one(BUCKET, PlainOperation.RESET)));

    /** As the engine refunds: it remembers the refund, too. */
    private static StoreRequest refund(Limit limit) {
        LimitUsage acquired = new LimitUsage("l0", limit, true, 3, 1, Duration.ZERO, Duration.ZERO, MINUTE, MINUTE);
        return new StoreRequest(List.of(
                StoreRequests.operation("p", "ids", "first", new MarkOnce("1", MINUTE)),
                StoreRequests.operation("p", StoreRequests.storedName(limit), "first",
                        PolicyLimit.ruleOf(limit).refund(acquired, NOW, 2, 0))));
    }

    private static StoreRequest acquire(Limit limit, long cost) {
        return requestOf("first", cost, policy("p", limit));
    }

    private static String key(Limit limit) {
        return "test:{first}:p:" + StoreRequests.storedName(limit);
    }

    private static StoreRequest one(Limit limit, Operation operation) {
        return StoreRequests.operation("p", limit, "first", operation);
    }

    @AfterEach
    void memoryIsFree() {
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        REDIS.send(Command.FLUSHALL);
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void aNewKeyIsDeniedByRedis(Limit limit) {
        memoryIsFull();

        assertThat(errors(acquire(limit, 1))).singleElement().asString().contains("OOM");
        assertThat(keys()).isZero();
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void newKeysOfTheSameCallAreDeniedByRedisAndNoneIsCharged(Limit first) {
        errors(acquire(first, 1));
        clock.addAndGet(Duration.ofMinutes(2).toNanos() / 1_000);
        errors(acquire(first, 1));
        clock.addAndGet(Duration.ofMinutes(2).toNanos() / 1_000);
        Response before = REDIS.send(Command.DUMP, key(first));
        memoryIsFull();

        for (Limit second : LIMITS) {
            assertThat(errors(requestOf("first", 1, policy("p", first, second)))).singleElement().asString().contains("OOM");
        }

        assertThat(keys()).isEqualTo(1);
        assertThat(REDIS.send(Command.DUMP, key(first)).toBytes()).isEqualTo(before.toBytes());
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void aKeyOfAWrongTypeStaysUntilThereIsMemory(Limit limit) {
        REDIS.send(Command.HSET, key(limit), "not", "ours");
        memoryIsFull();
        assertThat(errors(acquire(limit, 1))).singleElement().asString().contains("OOM");
        assertThat(REDIS.send(Command.TYPE, key(limit))).hasToString("hash");

        REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        assertThat(errors(acquire(limit, 1))).containsOnlyNulls();
        assertThat(REDIS.send(Command.TYPE, key(limit)).toString()).isNotEqualTo("hash");
    }

    @ParameterizedTest
    @FieldSource("FREEING")
    void newKeysBehindWhatNeedsNoMemoryAreDeniedByRedis(Freeing freeing) {
        assertThat(errors(freeing.before)).containsOnlyNulls();
        long keys = keys();
        memoryIsFull();
        List<StoreRequest> requests = new ArrayList<>(List.of(freeing.request));
        for (Limit limit : LIMITS) {
            requests.add(requestOf("caller" + requests.size(), 1, policy("p", limit)));
            requests.add(requestOf("caller" + requests.size(), 1, policy("two", limit, BUCKET)));
        }

        List<String> errors = errors(requests.toArray(StoreRequest[]::new));

        assertThat(errors.get(0)).isNull();
        assertThat(errors.subList(1, errors.size())).allSatisfy(error -> assertThat(error).contains("OOM"));
        assertThat(keys()).isLessThanOrEqualTo(keys + (freeing.request.operations().size() > 1 ? 1 : 0));
    }

    @ParameterizedTest
    @FieldSource("FREEING")
    void newKeysBehindWhatNeedsNoMemoryAreWrittenWhereThereIsSome(Freeing freeing) {
        assertThat(errors(freeing.before)).containsOnlyNulls();

        assertThat(errors(freeing.request, requestOf("other", 1, policy("p", LOG)),
                requestOf("other", 1, policy("two", BUCKET, CONCURRENCY)))).containsOnlyNulls();
        assertThat(REDIS.send(Command.EXISTS, "test:{other}:p:l0:sl1", "test:{other}:two:l0:tb1",
                "test:{other}:two:l1:co1").toInteger())
                .isEqualTo(3);
    }

    @ParameterizedTest
    @FieldSource("REFUNDABLE")
    void someOfThePermitsAreRefundedWithoutMemory(Limit limit) {
        errors(acquire(limit, 3));
        memoryIsFull();

        assertThat(errors(refund(limit), requestOf("other", 1, policy("p", limit)))).satisfiesExactly(
                error -> assertThat(error).isNull(), error -> assertThat(error).contains("OOM"));

        REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        StoreRequest again = acquire(limit, 2);
        assertThat(again.allowedBy(new ReplyReader(REDIS.send(script.command(List.of(again), true))).next(again))).isTrue();
    }

    @Test
    void permitsAreReleasedAndLimitsResetWithoutMemory() {
        errors(requestOf("release", 2, policy("p", CONCURRENCY)), requestOf("reset", 2, policy("p", LOG)));
        memoryIsFull();

        assertThat(errors(
                StoreRequests.operation("p", CONCURRENCY, "release", PolicyLimit.ruleOf(CONCURRENCY).refund(null, 0, 2, 0)),
                StoreRequests.operation("p", LOG, "reset", PlainOperation.RESET)))
                .containsOnlyNulls();
        assertThat(keys()).isZero();
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void deniedCallsAreStillDeniedAndWriteNothing(Limit limit) {
        errors(acquire(limit, 1), acquire(limit, 1), acquire(limit, 1));
        Response before = REDIS.send(Command.DUMP, key(limit));
        memoryIsFull();

        assertThat(errors(acquire(limit, 4), acquire(limit, 4))).containsOnlyNulls();
        assertThat(REDIS.send(Command.DUMP, key(limit)).toBytes()).isEqualTo(before.toBytes());
    }

    @ParameterizedTest
    @FieldSource("LIMITS")
    void newKeysBehindADeniedCallAfterTheClockHasJumpedBackAreDeniedByRedis(Limit limit) {
        errors(acquire(limit, 1), acquire(limit, 1), acquire(limit, 1));
        clock.addAndGet(-Duration.ofHours(1).toNanos() / 1_000);
        memoryIsFull();

        List<String> errors = errors(acquire(limit, 4), requestOf("other", 1, policy("p", BUCKET)));

        assertThat(errors.get(1)).contains("OOM");
        assertThat(keys()).isEqualTo(1);
    }

    @Test
    void newKeysBehindADeniedCallOfALogWhosePeriodIsLongerNowAreDeniedByRedis() {
        errors(acquire(LOG, 3));
        memoryIsFull();

        List<String> errors = errors(acquire(Limit.slidingLog(3, Duration.ofHours(3)), 1),
                requestOf("other", 1, policy("p", BUCKET)));

        assertThat(errors.get(1)).contains("OOM");
        assertThat(keys()).isEqualTo(1);
    }

    @Test
    void anOverrideIsDeniedByRedisAlsoWhereOthersHaveExpired() {
        LimiterClock overridesClock = new LimiterClock();
        try (RedisStore store = REDIS.newStore(Duration.ofSeconds(5), overridesClock)) {
            OverrideStore overrides = new RedisOverrides(store, "test");
            overrides.put("short", "text", MINUTE).await().atMost(MINUTE);
            overrides.put("long", "text", MINUTE.multipliedBy(3)).await().atMost(MINUTE);
            overridesClock.advance(MINUTE.multipliedBy(2));
            memoryIsFull();

            assertThatThrownBy(() -> overrides.put("new", "text", MINUTE).await().atMost(MINUTE)).hasMessageContaining("OOM");
            overrides.remove("long").await().atMost(MINUTE);

            assertThat(overrides.changedSince("", 0).await().atMost(MINUTE).texts()).isEmpty();
        }
    }

    @Test
    void aPauseIsDeniedByRedisAlsoWhereOthersHaveEnded() {
        LimiterClock pausesClock = new LimiterClock();
        try (RedisStore store = REDIS.newStore(Duration.ofSeconds(5), pausesClock)) {
            OverrideStore pauses = new RedisOverrides(store, "test");
            pauses.pause("p", "!p short", MINUTE).await().atMost(MINUTE);
            pauses.pause("p", "!p long", MINUTE.multipliedBy(3)).await().atMost(MINUTE);
            pausesClock.advance(MINUTE.multipliedBy(2));
            memoryIsFull();

            for (String name : List.of("!p new", "!p short")) {
                assertThatThrownBy(() -> pauses.pause("p", name, MINUTE).await().atMost(MINUTE)).hasMessageContaining("OOM");
            }
            assertThat(pauses.endPause("p", "!p long").await().atMost(MINUTE)).isTrue();
            assertThat(pauses.endPause("p", "!p new").await().atMost(MINUTE)).isFalse();
        }
    }

    private void memoryIsFull() {
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "1");
    }

    private static long keys() {
        return REDIS.send(Command.DBSIZE).toLong();
    }

    /**
     * Sends all of them in one call of the script, and returns the error of each; {@code null} for one that was decided.
     */
    private List<String> errors(StoreRequest... requests) {
        ReplyReader reply = new ReplyReader(REDIS.send(script.command(List.of(requests), true)));
        List<String> errors = new ArrayList<>();
        for (StoreRequest request : requests) {
            String error = reply.errorOfNext();
            if (error == null) {
                reply.next(request);
            }
            errors.add(error);
        }
        return errors;
    }
}
