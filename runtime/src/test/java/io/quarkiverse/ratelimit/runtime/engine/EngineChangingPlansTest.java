package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.smallrye.mutiny.Uni;

/** However the plan of a key changes, each allowed call stays counted, and no plan allows more than it has. */
class EngineChangingPlansTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    /** No permit comes back while a test runs. */
    private static final Duration LONG = Duration.ofDays(366);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    static final AtomicReference<Uni<RateLimitPlan>> PLAN = new AtomicReference<>();
    static RedisStore store;
    static Engine engine;

    @BeforeAll
    static void start() {
        store = REDIS.newStore(TIMEOUT);
        BeanResolvers beans = new BeanResolvers(Map.of(), Map.of("database", List.of(() -> call -> PLAN.get())), TIMEOUT,
                () -> System.nanoTime() / 1000, new Timers(REDIS.vertx));
        engine = new TestLimiter(store, new LocalStore(() -> System.nanoTime() / 1000), REDIS.vertx, TIMEOUT,
                new DenialCache(System::nanoTime), beans, 100, 1).engine;
    }

    @AfterAll
    static void stop() {
        store.close();
    }

    static Stream<Named<LongFunction<Limit>>> algorithms() {
        return Stream.of(named("greedy", permits -> Limit.tokenBucket(permits).refill(1, LONG)),
                named("interval", permits -> Limit.tokenBucket(permits).refillInterval(1, LONG)),
                named("fixed window", permits -> Limit.fixedWindow(permits, LONG)),
                named("sliding window", permits -> Limit.slidingWindow(permits, LONG)),
                named("sliding log", permits -> Limit.slidingLog(permits, LONG)));
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void eachCallIsDecidedByTheNewestPlanAndAllCallsBefore(LongFunction<Limit> algorithm) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        CallRules rules = rules("one" + seed, algorithm.apply(20), Duration.ZERO);
        long used = 0;
        for (int call = 0; call < 300; call++) {
            long permits = 1 + random.nextInt(60);
            PLAN.set(switch (random.nextInt(4)) {
                case 0 -> null;
                case 1 -> Uni.createFrom().item(RateLimitPlan.of(Map.of("default", algorithm.apply(permits))));
                default -> Uni.createFrom().item(RateLimitPlan.of(algorithm.apply(permits)));
            });
            long capacity = PLAN.get() == null ? 20 : permits;

            Decision decision = decide(rules);

            boolean allowed = used < capacity;
            used += allowed ? 1 : 0;
            assertThat(decision).as("call %d, seed %d", call, seed).returns(capacity, Decision::permits)
                    .returns(allowed, Decision::allowed).returns(Math.max(0, capacity - used), Decision::remaining);
        }
    }

    @Test
    void unlimitedCallsAreNotCountedAndLimitedOnesStayCounted() {
        CallRules rules = rules("unlimited", Limit.fixedWindow(2, LONG), Duration.ZERO);
        PLAN.set(null);
        assertThat(decide(rules).remaining()).isEqualTo(1);

        PLAN.set(Uni.createFrom().item(RateLimitPlan.unlimited()));
        for (int call = 0; call < 10; call++) {
            assertThat(outcome(rules).await().atMost(TIMEOUT)).isSameAs(Outcome.NOT_LIMITED);
        }

        PLAN.set(null);
        assertThat(decide(rules)).returns(true, Decision::allowed).returns(0L, Decision::remaining);
        assertThat(decide(rules).allowed()).isFalse();
    }

    @Test
    void concurrentCallsUnderTwoPlansAllowNoMoreThanTheLargerAndLoseNone() {
        CallRules rules = rules("flips", Limit.fixedWindow(1, LONG), Duration.ZERO);
        AtomicInteger calls = new AtomicInteger();
        PLAN.set(Uni.createFrom().item(() -> RateLimitPlan.of(Limit.fixedWindow(calls.incrementAndGet() % 2 == 0 ? 30 : 300,
                LONG))));

        List<Uni<Outcome>> all = new ArrayList<>();
        for (int call = 0; call < 1_000; call++) {
            all.add(outcome(rules));
        }
        long allowed = Uni.join().all(all).andFailFast().await().atMost(TIMEOUT).stream()
                .filter(outcome -> outcome.decisions().get(0).allowed()).count();

        assertThat(allowed).isEqualTo(300);
        PLAN.set(Uni.createFrom().item(RateLimitPlan.of(Limit.fixedWindow(301, LONG))));
        assertThat(decide(rules)).returns(true, Decision::allowed).returns(0L, Decision::remaining);
    }

    @Test
    void callersOfOneKeyWaitForOneCallOfTheBean() {
        CallRules rules = rules("shared", Limit.fixedWindow(1, LONG), Duration.ofHours(1));
        AtomicInteger calls = new AtomicInteger();
        PLAN.set(Uni.createFrom().item(() -> {
            calls.incrementAndGet();
            return RateLimitPlan.of(Limit.fixedWindow(40, LONG));
        }).onItem().delayIt().by(Duration.ofMillis(50)));

        List<Uni<Outcome>> all = new ArrayList<>();
        for (int call = 0; call < 100; call++) {
            all.add(outcome(rules));
        }
        long allowed = Uni.join().all(all).andFailFast().await().atMost(TIMEOUT).stream()
                .filter(outcome -> outcome.decisions().get(0).allowed()).count();

        assertThat(allowed).isEqualTo(40);
        assertThat(calls).hasValue(1);
    }

    @Test
    void slowKeyAndHangingPlanShareOneTimeout() {
        Duration timeout = Duration.ofSeconds(4);
        BeanResolvers slow = new BeanResolvers(
                Map.of("slow", List.of(() -> call -> Uni.createFrom().item("alice").onItem().delayIt()
                        .by(Duration.ofSeconds(2)))),
                Map.of("database", List.of(() -> call -> Uni.createFrom().nothing())), timeout, () -> 0,
                new Timers(REDIS.vertx));
        Engine hanging = new TestLimiter(store, new LocalStore(() -> System.nanoTime() / 1000), REDIS.vertx, timeout,
                new DenialCache(System::nanoTime), slow, 100, 1).engine;
        CallRules rules = rules("hanging", "bean:slow", Limit.fixedWindow(7, LONG), Duration.ofHours(1));

        long began = System.nanoTime();
        Decision decision = hanging.decide(rules, Caller.UNKNOWN, List.of()).await().atMost(TIMEOUT).decisions().get(0);

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(4_800));
        assertThat(decision).returns(7L, Decision::permits).returns(Source.REDIS, Decision::source);
    }

    private static Decision decide(CallRules rules) {
        return outcome(rules).await().atMost(TIMEOUT).decisions().get(0);
    }

    private static Uni<Outcome> outcome(CallRules rules) {
        return engine.decide(rules, Caller.UNKNOWN, List.of());
    }

    private static CallRules rules(String name, Limit limit, Duration cache) {
        return rules(name, "global", limit, cache);
    }

    private static CallRules rules(String name, String key, Limit limit, Duration cache) {
        Policy policy = new Policy(name, List.of(new PolicyLimit("default", limit)), KeyParser.parse(key, null),
                MissingKey.SHARED, List.of(),
                OnRedisFailure.LOCAL, Mode.ENFORCE, true, new PlanTable(PlanSource.BEAN, "database", cache, null, List.of()),
                Exemptions.NONE, Statuses.ALL, Duration.ofSeconds(1), null, Prefetch.NONE, Duration.ZERO, Duration.ZERO);
        return CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.of(1))));
    }
}
