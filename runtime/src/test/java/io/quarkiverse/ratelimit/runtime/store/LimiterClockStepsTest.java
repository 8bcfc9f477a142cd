package io.quarkiverse.ratelimit.runtime.store;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;

/** The memory of an instance, and the fallback, follow the wall clock: it is set both ways, and goes on during a suspension. */
class LimiterClockStepsTest {

    private static final Duration SOON = Duration.ofSeconds(20), HOUR = Duration.ofHours(1), SECOND = Duration.ofSeconds(1);
    private static final List<Limit> LIMITS = List.of(Limit.tokenBucket(10).refill(10, HOUR),
            Limit.tokenBucket(10).refillInterval(10, HOUR), Limit.fixedWindow(10, HOUR),
            Limit.fixedWindow(10, CalendarPeriod.DAY, ZoneId.of("Europe/Berlin")), Limit.slidingWindow(10, HOUR),
            Limit.slidingLog(10, HOUR));

    /** Where calls are counted. */
    enum Counting {
        MEMORY,
        FALLBACK
    }

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final SteppedClock wall = new SteppedClock(Instant.parse("2026-11-29T22:59:30Z"));
    private final LocalStore local = new LocalStore(new LimiterClock().ofThisInstance(wall));
    private TcpProxy proxy;
    private RedisStore unavailable;
    private long ids;

    @BeforeEach
    void open() {
        proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        unavailable = REDIS.newStore(() -> REDIS.newClient(proxy.address()), Duration.ofMillis(100));
        proxy.close();
    }

    @AfterEach
    void close() {
        unavailable.close();
    }

    static Stream<Arguments> all() {
        return LIMITS.stream().flatMap(limit -> Stream.of(Counting.values()).map(counting -> Arguments.of(limit, counting)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void aStepForwardIsTimeThatHasPassed(Limit limit, Counting counting) {
        assertThat(acquire(limit, 10, counting).allowed()).isTrue();
        Duration wait = acquire(limit, 10, counting).retryAfter();

        wall.step(wait.minus(SECOND));
        assertThat(acquire(limit, 10, counting).allowed()).isFalse();

        wall.step(SECOND);
        assertThat(acquire(limit, 10, counting).allowed()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aStepBackGrantsNothingAndLocksNobodyOutLongerThanTheLimitTakesToFill(Limit limit, Counting counting) {
        for (Duration step : List.of(Duration.ofNanos(1_000), SECOND, HOUR, Duration.ofDays(400))) {
            assertThat(acquire(limit, 10, counting).allowed()).isTrue();
            wall.step(step.negated());

            RateLimitDecision denied = acquire(limit, 1, counting);

            assertThat(denied.allowed()).isFalse();
            Duration fill = limit.calendar() == null ? HOUR.multipliedBy(2) : Duration.ofHours(25);
            assertThat(denied.resetAfter()).isLessThanOrEqualTo(fill);
            wall.step(denied.resetAfter());
        }
    }

    /** Half a minute before midnight in Berlin. */
    @Test
    void aStepOverMidnightAndBackGrantsTheNewDayOnce() {
        Limit day = Limit.fixedWindow(10, CalendarPeriod.DAY, ZoneId.of("Europe/Berlin"));
        wall.set("2026-11-29T22:59:30Z");
        assertThat(acquire(day, 10, Counting.MEMORY).allowed()).isTrue();
        wall.set("2026-11-29T23:00:30Z");
        assertThat(acquire(day, 10, Counting.MEMORY).allowed()).isTrue();

        for (int step = 0; step < 5; step++) {
            wall.set("2026-11-29T22:59:30Z");
            assertThat(acquire(day, 1, Counting.MEMORY).allowed()).isFalse();
            wall.set("2026-11-29T23:00:30Z");
            assertThat(acquire(day, 1, Counting.MEMORY).allowed()).isFalse();
        }
        wall.set("2026-11-30T23:00:00Z");
        assertThat(acquire(day, 10, Counting.MEMORY).allowed()).isTrue();
    }

    @ParameterizedTest
    @MethodSource
    void leakedPermitsComeBackWithinTheirLease(Duration step) {
        Limit limit = Limit.concurrency(1).leaseTime(Duration.ofSeconds(30));
        assertThat(acquire(limit, 1, Counting.MEMORY).allowed()).isTrue();

        wall.step(step);
        boolean early = acquire(limit, 1, Counting.MEMORY).allowed();
        wall.step(Duration.ofSeconds(30));

        assertThat(early).isEqualTo(step.compareTo(Duration.ofSeconds(30)) >= 0);
        assertThat(acquire(limit, 1, Counting.MEMORY).allowed()).isTrue();
    }

    static List<Duration> leakedPermitsComeBackWithinTheirLease() {
        return List.of(HOUR.negated(), SECOND.negated(), SECOND, Duration.ofSeconds(30), HOUR);
    }

    /** What is left of a block, and of the other times that an instance counts down, does not depend on its wall clock. */
    @Test
    void aCountdownPassesEvenly() {
        LimiterClock clock = new LimiterClock();
        LongSupplier countdown = clock.countdown();
        long before = countdown.getAsLong();

        clock.advance(HOUR);

        assertThat(before).isBetween(0L, 60_000_000L);
        assertThat(countdown.getAsLong() - before).isBetween(3_600_000_000L, 3_660_000_000L);
    }

    @Test
    void denialsOfALaterTimeAreForgotten() {
        local.denials().add("policy", 3, Map.of("alice", 3L)).await().atMost(SOON);
        wall.step(HOUR.negated());
        local.denials().add("policy", 1, Map.of("bob", 1L)).await().atMost(SOON);

        assertThat(local.denials().most("policy", 10).await().atMost(SOON)).singleElement()
                .satisfies(denied -> assertThat(denied.key()).isEqualTo("bob"));
    }

    private RateLimitDecision acquire(Limit limit, long cost, Counting counting) {
        LimitStore redis = counting == Counting.MEMORY ? local : unavailable;
        RateLimitDecision decision = new TestLimiter(redis, local, REDIS.vertx, SOON)
                .decide(policy("policy", limit), "caller", new PermitRequest(cost, OperationKind.ACQUIRE, ++ids)).decisions()
                .get(0);
        assertThat(decision.source() == Source.FALLBACK).isEqualTo(counting == Counting.FALLBACK);
        return decision;
    }

    private static final class SteppedClock extends Clock {

        private Instant now;

        SteppedClock(Instant now) {
            this.now = now;
        }

        void step(Duration time) {
            now = now.plus(time);
        }

        void set(String instant) {
            now = Instant.parse(instant);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }
}
