package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkus.vertx.core.runtime.VertxTimerAwareScheduledExecutorService;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/**
 * Every call is answered, also when the reply of Redis arrives at about its deadline: up to two milliseconds before it or after
 * it.
 */
class EngineDeadlineTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long MARGIN = Duration.ofMillis(2).toNanos();
    private static final int CALLS = 500, CALLS_AT_ONCE = 5;
    private static final Limit BUCKET = Limit.tokenBucket(200).refill(2_000, Duration.ofSeconds(1));
    /** So large that this instance acquires permits ahead, however fast the calls follow each other. */
    private static final Limit LARGE_BUCKET = Limit.tokenBucket(20_000).refill(200_000, Duration.ofSeconds(1));
    private static final Duration SHORT = Duration.ofMillis(5);
    private static final Executor BEFORE = Infrastructure.getDefaultExecutor();

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final RedisStore store = REDIS.newStore(SOON);
    private final LocalStore local = new LocalStore(() -> Clock.systemUTC().millis() * 1_000);
    private final TestLimiter limiter = new TestLimiter(store, local, REDIS.vertx, SOON);
    private final TestLimiter sequential = new TestLimiter(new PartByPart(store), local, REDIS.vertx, SOON);
    private final LongSupplier ids = new AtomicLong()::incrementAndGet;
    private final Map<Entry, List<CompletableFuture<?>>> calls = new EnumMap<>(Entry.class);
    private final List<Source> sources = new ArrayList<>();
    /** How long Redis took for the last call that waited long enough. */
    private long latency;

    /** How calls reach the store. */
    private enum Entry {

        PLAIN((test, timeout) -> test.decided(policy("plain", BUCKET), timeout)),
        QUEUED((test, timeout) -> test.waiting(policy("queued", Limit.slidingLog(20, SHORT)), timeout)),
        DELAYED((test, timeout) -> test.waiting(policy("delayed", Limit.leakyBucket(2_000, Duration.ofSeconds(1), SHORT)),
                timeout)),
        PREFETCHED((test, timeout) -> test.decided(UnreliableStore.prefetching("prefetched", Mode.ENFORCE,
                new PolicyLimit("l0", LARGE_BUCKET), 100, Duration.ofMillis(50)), timeout)),
        SEQUENTIAL(EngineDeadlineTest::partByPart),
        HELD((test, timeout) -> test.decided(policy("held", Limit.concurrency(20)), timeout)
                .chain(outcome -> outcome.lease().release())),
        SETTLED(EngineDeadlineTest::settled),
        REFUNDED((test, timeout) -> test.decided(policy("refunded", BUCKET), timeout)
                .chain(outcome -> test.limiter.refunds.refund(outcome, Deadline.in(timeout))));

        private final BiFunction<EngineDeadlineTest, Duration, Uni<?>> call;

        Entry(BiFunction<EngineDeadlineTest, Duration, Uni<?>> call) {
            this.call = call;
        }
    }

    @BeforeAll
    static void useTimersOfQuarkus() {
        Infrastructure.setDefaultExecutor(new VertxTimerAwareScheduledExecutorService(Executors.newScheduledThreadPool(1)),
                false);
    }

    @AfterAll
    static void useTimersOfMutiny() {
        Infrastructure.setDefaultExecutor(BEFORE);
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void everyCallOfEveryEntryIsAnswered() {
        CompletableFuture<Void> made = new CompletableFuture<>();
        REDIS.vertx.getOrCreateContext().runOnContext(ignored -> REDIS.vertx.setPeriodic(1, timer -> {
            measureLatency();
            Stream.of(Entry.values()).forEach(this::call);
            if (calls.get(Entry.PLAIN).size() >= CALLS) {
                REDIS.vertx.cancelTimer(timer);
                made.complete(null);
            }
        }));
        made.join();

        await().atMost(SOON).untilAsserted(() -> assertThat(Stream.of(Entry.values())).allMatch(
                entry -> calls.get(entry).stream().allMatch(CompletableFuture::isDone)));
        assertThat(calls.values().stream().flatMap(List::stream)).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(sources).contains(Source.REDIS, Source.FALLBACK, Source.PREFETCHED);
    }

    @Test
    void hangingBeanCostsTheShortestTimeout() {
        Duration timeout = Duration.ofMillis(1);
        BeanResolvers hanging = new BeanResolvers(Map.of("hangs", List.of(() -> call -> Uni.createFrom().nothing())), Map.of(),
                timeout, () -> 0, new Timers(REDIS.vertx));
        Policy policy = new Policy("hanging", policy("", BUCKET).limits(), KeyParser.parse("bean:hangs", null),
                MissingKey.SHARED,
                OnRedisFailure.LOCAL, Mode.ENFORCE, true);
        Engine engine = new TestLimiter(store, local, REDIS.vertx, timeout, new DenialCache(System::nanoTime), hanging,
                100, 1).engine;
        CallRules rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.of(1))));
        CompletableFuture<Outcome> decided = new CompletableFuture<>();

        REDIS.vertx.runOnContext(ignored -> engine.decide(rules, Caller.UNKNOWN, List.of()).subscribe()
                .with(decided::complete, decided::completeExceptionally));

        assertThat(decided).succeedsWithin(SOON);
    }

    private void measureLatency() {
        long sent = System.nanoTime();
        store.decide(StoreRequests.requestOf("", 1, policy("latency", BUCKET))).subscribe()
                .with(reply -> latency = System.nanoTime() - sent);
    }

    private void call(Entry entry) {
        List<CompletableFuture<?>> ofEntry = calls.computeIfAbsent(entry, ignored -> new ArrayList<>());
        for (int call = 0; call < CALLS_AT_ONCE; call++) {
            long timeout = latency + ThreadLocalRandom.current().nextLong(-MARGIN, MARGIN);
            ofEntry.add(entry.call.apply(this, Duration.ofNanos(Math.max(1, timeout))).subscribeAsCompletionStage());
        }
    }

    private Uni<Outcome> decided(Policy policy, Duration timeout) {
        return limiter.calls.decide(List.of(new KeyedCharge(charge(policy), "")), Deadline.in(timeout))
                .invoke(outcome -> sources.add(outcome.decisions().get(0).source()));
    }

    private Uni<Outcome> waiting(Policy policy, Duration timeout) {
        return limiter.calls(timeout).decideOrWait(() -> List.of(new KeyedCharge(charge(policy), "")), SHORT,
                Deadline.in(timeout));
    }

    private Uni<Outcome> partByPart(Duration timeout) {
        return sequential.decider.decide(new Call(ids.getAsLong(),
                Stream.of("one", "other").map(key -> new KeyedCharge(charge(policy(key, BUCKET)), key)).toList(),
                Deadline.in(timeout)));
    }

    private Uni<Boolean> settled(Duration timeout) {
        return decided(policy("settled", BUCKET), timeout).map(outcome -> outcome.decisions().get(0))
                .chain(decision -> limiter.calls(timeout).settle(decision, cost()).chain(() -> limiter.refunds.end(decision)));
    }

    private static Charge charge(Policy policy) {
        boolean whole = policy.name().equals("prefetched") && ThreadLocalRandom.current().nextInt(5) == 0;
        return new Charge(policy, PermitRequest.of(policy.name().equals("held") ? 1 : whole ? 200 : cost()));
    }

    private static int cost() {
        return 1 + ThreadLocalRandom.current().nextInt(8);
    }

    /** Decides calls as in a cluster, where keys lie on different servers. */
    private record PartByPart(LimitStore store) implements LimitStore {

        @Override
        public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
            return store.decide(request, deadline);
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request) {
            return store.decide(request);
        }

        @Override
        public boolean isSharded() {
            return true;
        }
    }
}
