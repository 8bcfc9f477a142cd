package io.quarkiverse.ratelimit.runtime.engine.limits;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** Overrides, blocks and pauses end by the clock of the store, also when it is set or an instance was suspended. */
class OverridesClockTest {

    private static final Duration SOON = Duration.ofSeconds(20), MINUTE = Duration.ofMinutes(1), HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private static final LimiterClock CLOCK = new LimiterClock();
    private static RedisStore redis;

    private final Policy policy = policy("policy", Limit.tokenBucket(10));
    private final AtomicLong wall = new AtomicLong(1_795_377_231_412_345L), countdown = new AtomicLong();
    private List<Overrides> instances;

    @BeforeAll
    static void open() {
        redis = REDIS.newStore(SOON, CLOCK);
    }

    @AfterAll
    static void close() {
        redis.close();
    }

    @BeforeEach
    void reset() {
        REDIS.send(Command.FLUSHALL);
        CLOCK.reset();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void stepAheadIsTimeThatHasPassed(boolean inMemory) {
        changedForAnHour(inMemory);

        moveStore(MINUTE.multipliedBy(20));
        assertThat(timesLeft())
                .allSatisfy(left -> assertThat(left).isBetween(MINUTE.multipliedBy(39), MINUTE.multipliedBy(40)));
        moveStore(MINUTE.multipliedBy(40));
        assertThat(timesLeft()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void stepBackProlongs(boolean inMemory) {
        moveStore(MINUTE.multipliedBy(20));
        changedForAnHour(inMemory);

        CLOCK.reset();
        wall.addAndGet(-LimitUsage.micros(MINUTE.multipliedBy(20)));
        assertThat(timesLeft())
                .allSatisfy(left -> assertThat(left).isBetween(MINUTE.multipliedBy(79), MINUTE.multipliedBy(80)));
        moveStore(MINUTE.multipliedBy(70));
        assertThat(timesLeft()).allSatisfy(left -> assertThat(left).isBetween(MINUTE.multipliedBy(9), MINUTE.multipliedBy(10)));
    }

    /** Also when its end has come by the clock of the instance, so that it has dropped it. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void instanceWhoseClockIsAheadComesBack(boolean inMemory) {
        changedForAnHour(inMemory);

        countdown.addAndGet(LimitUsage.micros(HOUR.multipliedBy(2)));
        assertThat(timesLeft()).allSatisfy(left -> assertThat(left).isBetween(MINUTE.multipliedBy(59), HOUR));
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void nothingIsReadAgainWhileBothClocksPassEvenly(boolean inMemory) {
        changedForAnHour(inMemory);
        Function<Overrides, Object> stored = instance -> instance.overrides(policy).get(0);
        List<Object> before = instances.stream().map(stored).toList();

        countdown.addAndGet(LimitUsage.micros(MINUTE));
        moveStore(MINUTE);
        assertThat(timesLeft())
                .allSatisfy(left -> assertThat(left).isBetween(MINUTE.multipliedBy(58), MINUTE.multipliedBy(59)));

        assertThat(instances.stream().map(stored)).usingElementComparator((one, other) -> one == other ? 0 : 1)
                .isEqualTo(before);
    }

    /** An override, a block and a pause, made by the first of two instances, or in the memory of one. */
    private void changedForAnHour(boolean inMemory) {
        LocalStore local = new LocalStore(wall::get);
        instances = Stream.generate(() -> new Overrides(inMemory ? local.overrides() : new RedisOverrides(redis, "test"),
                countdown::get)).limit(inMemory ? 1 : 2).toList();
        refresh();
        Overrides here = instances.get(0);
        here.put(policy, "overridden", Map.of("l0", Limit.tokenBucket(3)), HOUR, Change.BY_CODE).await().atMost(SOON);
        here.block(policy, "blocked", HOUR, Change.BY_CODE).await().atMost(SOON);
        here.pause(policy, "paused", HOUR).await().atMost(SOON);
        assertThat(timesLeft()).hasSize(3 * instances.size())
                .allSatisfy(left -> assertThat(left).isBetween(MINUTE.multipliedBy(59), HOUR));
    }

    private List<Duration> timesLeft() {
        refresh();
        return instances.stream().flatMap(instance -> Stream.concat(
                instance.overrides(policy).stream().map(override -> override.timeLeft().orElseThrow()),
                instance.blocks(policy).stream().map(StoredOverride::remainingTime))).toList();
    }

    private void refresh() {
        instances.forEach(instance -> instance.refresh().await().atMost(SOON));
    }

    private void moveStore(Duration time) {
        CLOCK.advance(time);
        wall.addAndGet(LimitUsage.micros(time));
    }
}
