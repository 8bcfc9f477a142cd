package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import static java.lang.Math.multiplyExact;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** Several instances that acquire ahead allow no more than the rule allows, and hardly less than without. */
class PrefetchedPermitsHistoriesTest {

    private static final long START = 1_763_640_000_000_000L;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);

    private record Acquired(Decision decision, long at, long permits) {
    }

    static Stream<Arguments> histories() {
        return Stream.concat(IntStream.rangeClosed(1, 30).mapToObj(seed -> Arguments.of("memory", seed)),
                IntStream.rangeClosed(31, 36).mapToObj(seed -> Arguments.of("Redis", seed)));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void noMoreThanTheRuleAllowsInTheSpanAndPrefetchTime(String where, int seed) {
        if (where.equals("memory")) {
            callAtRandom(new LocalStore(clock::get), new Random(seed), true);
            return;
        }
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get)) {
            callAtRandom(redis, new Random(seed), false);
        }
    }

    /** @param inMemory whether the store loses no replies to refunds */
    private void callAtRandom(LimitStore store, Random random, boolean inMemory) {
        Limit limit = limit(random);
        Duration time = Duration.ofMillis(1 + random.nextInt(1_000));
        Policy policy = policy(limit, 1 + random.nextLong(limit.burst()), time);
        UnreliableStore unreliable = new UnreliableStore(store,
                request -> random.nextInt(40) == 0
                        && !(inMemory && !request.operations().get(0).operation().function().path.contains("acquire")));
        TestLimiter[] instances = new TestLimiter[2 + random.nextInt(3)];
        for (int i = 0; i < instances.length; i++) {
            instances[i] = limiter(unreliable);
        }
        String caller = UUID.randomUUID().toString();
        List<Acquired> acquired = new ArrayList<>();
        int handedOut = 0;
        for (int call = 0; call < 1_500; call++) {
            clock.addAndGet(step(time, limit, random));
            int instance = random.nextInt(3) == 0 ? random.nextInt(instances.length) : 0;
            if (random.nextInt(150) == 0) {
                instances[instance] = limiter(unreliable);
            }
            if (random.nextInt(20) == 0 && !acquired.isEmpty()) {
                Acquired back = acquired.remove(random.nextInt(acquired.size()));
                instances[instance].refunds.refund(back.decision).await().atMost(SOON);
                continue;
            }
            OperationKind kind = random.nextInt(30) == 0 ? OperationKind.ACQUIRE_UP_TO : OperationKind.ACQUIRE;
            long cost = random.nextInt(4) == 0 ? 1 + random.nextLong(Math.max(1, limit.burst() / 10)) : 1;
            Decision decision = instances[instance].decide(policy, caller, new PermitRequest(cost, kind, 0)).decisions().get(0);
            if (decision.source() != Source.FALLBACK && decision.allowed()) {
                handedOut += decision.source() == Source.PREFETCHED ? 1 : 0;
                acquired.add(new Acquired(decision, clock.get(), decision.granted()));
                assertThat(allows(limit, time, acquired)).as("call %d of %s within %s: %s", call, limit, time, acquired)
                        .isTrue();
            }
        }
        assertThat(handedOut).isPositive();
    }

    private static Limit limit(Random random) {
        long permits = 50 + random.nextInt(2_000);
        Duration period = Duration.ofMillis(100 + random.nextInt(3_000));
        return switch (random.nextInt(3)) {
            case 0 -> Limit.fixedWindow(permits, period);
            case 1 -> Limit.tokenBucket(permits).refillInterval(1 + random.nextLong(permits), period);
            default -> Limit.tokenBucket(permits).refill(1 + random.nextLong(permits), period);
        };
    }

    private static long step(Duration time, Limit limit, Random random) {
        long micros = time.toNanos() / 1_000, period = limit.period().toNanos() / 1_000;
        return switch (random.nextInt(60)) {
            case 0 -> random.nextLong(2 * period);
            case 1 -> micros;
            case 2 -> random.nextLong(2 * micros);
            default -> random.nextLong(1 + Math.min(micros, period) / 40);
        };
    }

    /** Whether the rule allows the last of these calls. */
    private static boolean allows(Limit limit, Duration time, List<Acquired> acquired) {
        long now = acquired.get(acquired.size() - 1).at, period = limit.period().toNanos() / 1_000;
        long sum = 0;
        for (int i = acquired.size() - 1; i >= 0; i--) {
            if (limit.algorithm() == Algorithm.FIXED_WINDOW && acquired.get(i).at < now - now % period) {
                break;
            }
            sum += acquired.get(i).permits;
            long span = now - acquired.get(i).at + time.toNanos() / 1_000;
            long refilled = limit.refill() == Refill.GREEDY ? span : (span / period + 1) * period;
            long most = limit.algorithm() == Algorithm.FIXED_WINDOW ? 0 : multiplyExact(limit.permits(), refilled);
            if (multiplyExact(sum - limit.burst(), period) > most) {
                return false;
            }
        }
        return true;
    }

    static Stream<Arguments> loads() {
        return Stream.of(Limit.tokenBucket(1_000).refill(1_000, SECOND), Limit.tokenBucket(100).refill(1_000, SECOND),
                Limit.tokenBucket(1_000).refillInterval(1_000, SECOND), Limit.fixedWindow(1_000, SECOND))
                .flatMap(limit -> Stream.of(Arguments.of(limit, List.of(1, 1, 1, 1)), Arguments.of(limit, List.of(10, 1))));
    }

    @ParameterizedTest
    @MethodSource("loads")
    void tenfoldLoadIsAllowedAsMuchAsWithout(Limit limit, List<Integer> shares) {
        LocalStore store = new LocalStore(clock::get);
        TestLimiter without = limiter(store);
        List<TestLimiter> byShare = new ArrayList<>();
        for (int share : shares) {
            TestLimiter instance = limiter(store);
            IntStream.range(0, share).forEach(i -> byShare.add(instance));
        }
        Policy prefetching = policy(limit, limit.burst(), Duration.ofMillis(500));
        Policy exact = new Policy("exact", prefetching.limits(), null, prefetching.missingKey(),
                prefetching.onRedisFailure(), Mode.ENFORCE, true);
        Random random = new Random(1);
        long allowed = 0, handedOut = 0, allowedWithout = 0;
        for (int call = 0; call < 20_000; call++) {
            clock.addAndGet(100);
            TestLimiter instance = byShare.get(random.nextInt(byShare.size()));
            Decision decision = instance.decide(prefetching, "caller", PermitRequest.of(1)).decisions().get(0);
            allowed += decision.granted();
            handedOut += decision.source() == Source.PREFETCHED ? 1 : 0;
            allowedWithout += without.decide(exact, "caller", PermitRequest.of(1)).decisions().get(0).granted();
        }
        assertThat(handedOut).isPositive();
        assertThat((double) allowed / allowedWithout).isBetween(0.99, 1.0);
    }

    private TestLimiter limiter(LimitStore store) {
        return new TestLimiter(store, new LocalStore(clock::get), REDIS.vertx, SOON, () -> 1_000 * clock.get());
    }

    private static Policy policy(Limit limit, long prefetch, Duration time) {
        return UnreliableStore.prefetching("policy", Mode.ENFORCE, new PolicyLimit("l0", limit), prefetch, time);
    }
}
