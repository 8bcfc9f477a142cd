package io.quarkiverse.ratelimit.runtime.engine.denials;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** A cached denial is one that the store would repeat, with the same state. */
class DenialCacheTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Limit TWO = Limit.tokenBucket(2).refill(1, Duration.ofHours(1));
    private static final Vertx VERTX = Vertx.vertx();

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);
    private final AtomicInteger requested = new AtomicInteger();
    private final LimitStore counted = new StoreOf(request -> {
        requested.incrementAndGet();
        return store.decide(request);
    });
    private final DenialCache denials = new DenialCache(() -> 1_000 * micros.get());
    private final TestLimiter limiter = limiter(counted);
    private final String caller = UUID.randomUUID().toString();

    @AfterAll
    static void close() {
        VERTX.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CONCURRENCY")
    void cachedDenialEqualsThatOfTheStore(Algorithm algorithm) {
        Random random = new Random(7);
        int compared = 0;
        for (int history = 0; history < 100; history++) {
            Limit limit = RandomLimits.of(algorithm, random);
            Policy policy = policy(Duration.ofMinutes(1), limit, RandomLimits.of(algorithm, random));
            String somebody = UUID.randomUUID().toString();
            for (int call = 0; call < 20; call++) {
                long cost = 1 + random.nextLong(Math.min(1_000_000_000, 1 + limit.burst()));
                decide(policy, somebody, cost);
                int before = requested.get();
                pass(random.nextInt(1_000_000));
                Decision decision = decide(policy, somebody, cost);
                if (requested.get() == before) {
                    assertThat(decision.source()).isEqualTo(Source.DENIAL_CACHE);
                    assertSame(decision, decide(policy(Duration.ZERO, limit, policy.limits().get(1).limit()), somebody, cost));
                    compared++;
                }
                pass(Math.abs(RandomLimits.step(limit, random)));
            }
        }
        assertThat(compared).isGreaterThan(30);
    }

    @Test
    void sameCallIsDeniedFromTheCacheUntilTheTimeIsOver() {
        Policy policy = policy(SECOND, TWO);
        useUp(policy);

        assertThat(sources(policy, 3)).containsExactly(Source.DENIAL_CACHE, Source.DENIAL_CACHE, Source.DENIAL_CACHE);
        pass(999_999);
        assertThat(sources(policy, 1)).containsExactly(Source.DENIAL_CACHE);
        pass(1);
        assertThat(sources(policy, 1)).containsExactly(Source.REDIS);
    }

    @Test
    void timeOfADenialBeginsWhenItsRequestIsSent() {
        Policy policy = policy(SECOND, TWO);
        useUp(policy);
        limiter.administration.reload().await().indefinitely();
        pass(1);
        TestLimiter slow = limiter(new StoreOf(request -> counted.decide(request).invoke(() -> pass(600_000))));

        assertThat(slow.decide(TestLimiter.request(policy, caller, PermitRequest.of(1))).newDenial()).isNotNull();

        pass(399_999);
        assertThat(sources(policy, 1)).containsExactly(Source.DENIAL_CACHE);
        pass(1);
        assertThat(sources(policy, 1)).containsExactly(Source.REDIS);
    }

    @Test
    void storeDecidesAsSoonAsTheCallWouldBeAllowed() {
        Policy policy = policy(SECOND, Limit.tokenBucket(2).refill(10, SECOND));
        useUp(policy);

        pass(99_999);
        assertThat(decide(policy, caller, 1)).returns(Source.DENIAL_CACHE, RateLimitDecision::source)
                .returns(Duration.ofNanos(1_000), RateLimitDecision::retryAfter);
        pass(1);
        assertThat(decide(policy, caller, 1)).returns(true, RateLimitDecision::allowed);
    }

    @Test
    void denialThatIsOverWithinAMillisecondIsNotKept() {
        Policy longer = policy(SECOND, Limit.tokenBucket(2).refill(1_000, SECOND));
        useUp(longer);
        assertThat(sources(longer, 1)).containsExactly(Source.DENIAL_CACHE);

        Policy shorter = policy(SECOND, Limit.tokenBucket(2).refill(2_000, SECOND));
        useUp(shorter);
        assertThat(sources(shorter, 1)).containsExactly(Source.REDIS);
    }

    @Test
    void storeDecidesOtherCostsCallersAndLimits() {
        Policy policy = policy(SECOND, TWO);
        useUp(policy);

        assertThat(decide(policy, "somebody else", 1).allowed()).isTrue();
        assertThat(decide(policy, caller, 2).source()).isEqualTo(Source.REDIS);
        assertThat(decide(policy(SECOND, Limit.tokenBucket(3).refill(1, SECOND)), caller, 1).allowed()).isTrue();
    }

    @Test
    void chargeOfTheSameCallerEndsIt() {
        Policy policy = policy(SECOND, TWO);
        useUp(policy);

        limiter.decide(TestLimiter.request(policy, caller, new PermitRequest(5, OperationKind.CHARGE, 0)));

        assertThat(decide(policy, caller, 1)).returns(Source.REDIS, RateLimitDecision::source);
    }

    @Test
    void whatIsMoreThanCanEverBeIsDenied() {
        Policy policy = policy(SECOND, TWO);

        assertThat(decide(policy, caller, 3)).returns(true, RateLimitDecision::neverAllowed)
                .returns(Source.REDIS, RateLimitDecision::source);
        assertThat(decide(policy, caller, 3)).returns(true, RateLimitDecision::neverAllowed)
                .returns(Source.DENIAL_CACHE, RateLimitDecision::source);
        assertThat(decide(policy, caller, 2).allowed()).isTrue();
    }

    @Test
    void refundAndResetAndOverrideEndIt() {
        Policy policy = policy(SECOND, TWO);
        Decision acquired = decide(policy, caller, 2);
        List<Runnable> changes = List.of(() -> limiter.refunds.refund(acquired).await().indefinitely(),
                () -> limiter.administration.reset(policy, caller).await().indefinitely(),
                () -> limiter.administration.removeOverride(policy, "").await().indefinitely(),
                () -> limiter.administration.reload().await().indefinitely());
        for (Runnable change : changes) {
            pass(1);
            while (decide(policy, caller, 1).source() != Source.DENIAL_CACHE) {
                // used up
            }
            change.run();
            assertThat(decide(policy, caller, 1).source()).isEqualTo(Source.REDIS);
        }
    }

    @Test
    void refundsOfOtherKeysAndPoliciesDoNotKeepDenialsFromBeingCached() {
        Policy policy = policy(SECOND, TWO);
        // not a random caller, which might share a counter with one of the others
        while (decide(policy, "caller", 1).allowed()) {
            // some are left
        }
        denials.evictAll();
        pass(1);
        Policy other = new Policy("other", policy.limits(), null, policy.missingKey(), policy.onRedisFailure(), policy.mode(),
                true);
        TestLimiter slow = limiter(new StoreOf(request -> store.decide(request).invoke(() -> {
            refundCallOf(policy, "somebody else");
            refundCallOf(other, "caller");
        })));

        Decision denied = slow.calls.decide(List.of(new KeyedCharge(charge(policy, 1), "caller")), slow.calls.deadline())
                .await().indefinitely()
                .decisions().get(0);

        assertThat(denied).returns(false, Decision::allowed).returns(Source.REDIS, Decision::source);
        assertThat(decide(policy, "caller", 1).source()).isEqualTo(Source.DENIAL_CACHE);
    }

    private void refundCallOf(Policy policy, String caller) {
        limiter.refunds.refund(decide(policy, caller, 1)).await().indefinitely();
    }

    @Test
    void replyThatWasUnderWayWhileSomethingChangedIsNotCached() {
        Policy policy = policy(SECOND, TWO);
        useUp(policy);
        limiter.administration.reload().await().indefinitely();
        pass(1);
        CompletableFuture<StoreReply> late = new CompletableFuture<>();
        TestLimiter slow = limiter(new StoreOf(request -> store.decide(request)
                .chain(reply -> Uni.createFrom().completionStage(late.thenApply(ignored -> reply)))));

        var waiting = slow.calls.decide(List.of(new KeyedCharge(charge(policy, 1), caller)), slow.calls.deadline())
                .subscribeAsCompletionStage();
        slow.administration.reload().await().indefinitely();
        late.complete(null);

        assertThat(waiting.join().newDenial()).isNotNull();
        assertThat(slow.calls.decide(List.of(new KeyedCharge(charge(policy, 1), caller)), slow.calls.deadline()).await()
                .indefinitely().decisions().get(0)
                .source())
                .isEqualTo(Source.REDIS);
    }

    @Test
    void storeDecidesSeveralPoliciesOtherOperationsShadowAndOff() {
        Policy policy = policy(SECOND, TWO);
        useUp(policy);

        KeyedCharge keyed = new KeyedCharge(charge(policy, 1), "somebody");
        Call ofTwo = new Call(1, List.of(keyed, keyed), null);
        assertThat(isCacheable(ofTwo)).isFalse();
        for (OperationKind kind : List.of(OperationKind.PEEK, OperationKind.ACQUIRE_UP_TO, OperationKind.CHARGE)) {
            assertThat(isCacheable(call(policy, new PermitRequest(1, kind, 0))))
                    .isFalse();
        }
        assertThat(isCacheable(call(policy(Duration.ZERO, TWO), PermitRequest.of(1))))
                .isFalse();
        assertThat(
                isCacheable(call(policy(SECOND, Limit.concurrency(1)), PermitRequest.of(1))))
                .isFalse();
        assertThat(isCacheable(call(policy(SECOND, Mode.SHADOW,
                Statuses.ALL, TWO), PermitRequest.of(1)))).isFalse();
        assertThat(isCacheable(call(policy(SECOND, Mode.ENFORCE,
                Statuses.parse("401"), TWO), PermitRequest.of(1)))).isFalse();
    }

    private static boolean isCacheable(Call call) {
        return DenialCache.isCacheable(call, call.charges().get(0));
    }

    @Test
    void onlySoManyAreKept() {
        Policy policy = policy(Duration.ofMinutes(1), TWO);
        deny(policy, "caller", DenialCache.MAX_ENTRIES + 10_000);
        int before = requested.get();

        assertThat(denials.denials).hasSize(10_000);
        decide(policy, "caller" + DenialCache.MAX_ENTRIES, 3);
        assertThat(requested).hasValue(before);
        decide(policy, "caller" + (DenialCache.MAX_ENTRIES - 1), 3);
        assertThat(requested).hasValue(before + 1);
    }

    @Test
    void expiredEntriesAreEvictedAsOthersAreAdded() {
        Policy policy = policy(SECOND, TWO);
        deny(policy, "early", 100);
        assertThat(denials.denials).hasSize(100);

        pass(1_000_000);
        deny(policy, "late", 100);

        assertThat(denials.denials).hasSize(100);
    }

    @Test
    void oneThatLastsKeepsNoneThatIsOver() {
        deny(policy(Duration.ofMinutes(1), TWO), "lasting", 1);
        deny(policy(SECOND, TWO), "early", 100);
        pass(1_000_000);

        deny(policy(SECOND, TWO), "late", 100);

        assertThat(denials.denials).hasSize(101);
    }

    @Test
    void denialThatIsOverWhenItArrivesIsNotCached() {
        Policy policy = policy(SECOND, Limit.tokenBucket(2).refill(500, SECOND));
        TestLimiter slow = limiter(new StoreOf(request -> counted.decide(request).invoke(() -> pass(1_999))));
        Charge both = charge(policy, 2);

        assertThat(IntStream.range(0, 6)
                .mapToObj(
                        i -> slow.calls.decide(List.of(new KeyedCharge(both, caller)), slow.calls.deadline()).await()
                                .indefinitely().decisions().get(0)))
                .allMatch(decision -> decision.source() == Source.REDIS).extracting(RateLimitDecision::allowed)
                .containsExactly(true, false, false, true, false, false);
        assertThat(denials.denials).isEmpty();
    }

    @Test
    void oneCallersDenialIsNoneOfAnother() {
        Policy policy = policy(Duration.ZERO, TWO);
        Charge one = charge(policy, 1);
        useUp(policy);

        assertThat(limiter.calls.decide(List.of(new KeyedCharge(one, caller)), limiter.calls.deadline()).await().indefinitely()
                .isDenied()).isTrue();
        assertThat(limiter.calls.decide(List.of(new KeyedCharge(one, "somebody else")), limiter.calls.deadline()).await()
                .indefinitely().isDenied())
                .isFalse();
    }

    @Test
    void callersWithEqualHashesAreDistinguished() {
        Policy policy = policy(Duration.ofMinutes(1), TWO);
        List<String> equal = List.of("");
        for (int i = 0; i < 10; i++) {
            equal = equal.stream().flatMap(begin -> Stream.of(begin + "Aa", begin + "BB")).toList();
        }
        equal.forEach(one -> decide(policy, one, 3));
        int before = requested.get();

        equal.forEach(one -> decide(policy, one, 3));
        assertThat(requested).hasValue(before);
    }

    private void deny(Policy policy, String callers, int count) {
        for (int i = 0; i < count; i++) {
            decide(policy, callers + i, 3);
            pass(1);
        }
    }

    private static void assertSame(Decision cached, Decision requested) {
        assertThat(List.of(cached.key(), cached.limit(), cached.limits(), cached.permits(), cached.remaining(), cached.delay(),
                cached.retryAfter(), cached.resetAfter(), cached.decidedAt()))
                .isEqualTo(List.of(requested.key(), requested.limit(), requested.limits(), requested.permits(),
                        requested.remaining(), requested.delay(), requested.retryAfter(), requested.resetAfter(),
                        requested.decidedAt()));
        assertThat(cached.allowed()).isEqualTo(requested.allowed());
        assertThat(cached.granted()).isEqualTo(requested.granted());
        assertThat(cached.reason()).isEqualTo(requested.reason());
    }

    private void useUp(Policy policy) {
        while (decide(policy, caller, 1).allowed()) {
            // some are left
        }
    }

    private List<Source> sources(Policy policy, int calls) {
        List<Source> sources = new ArrayList<>();
        for (int call = 0; call < calls; call++) {
            RateLimitDecision decision = decide(policy, caller, 1);
            assertThat(decision.allowed()).isFalse();
            sources.add(decision.source());
        }
        return sources;
    }

    private Decision decide(Policy policy, String caller, long cost) {
        return limiter.decide(TestLimiter.request(policy, caller, PermitRequest.of(cost))).decisions().get(0);
    }

    private void pass(long micros) {
        this.micros.addAndGet(micros);
    }

    private TestLimiter limiter(LimitStore redis) {
        return new TestLimiter(redis, store, VERTX, SECOND, denials, () -> 1_000 * micros.get());
    }

    private static Call call(Policy policy, PermitRequest requested) {
        return new Call(1, new Charge(policy, requested), "somebody", null);
    }

    private record StoreOf(Function<StoreRequest, Uni<StoreReply>> decision) implements LimitStore {

        @Override
        public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
            return decide(request);
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request) {
            return decision.apply(request);
        }
    }

    private static Charge charge(Policy policy, long cost) {
        return new Charge(policy, PermitRequest.of(cost));
    }

    private static Policy policy(Duration denialCache, Limit... limits) {
        return policy(denialCache, Mode.ENFORCE, Statuses.ALL, limits);
    }

    private static Policy policy(Duration denialCache, Mode mode, Statuses countWhen,
            Limit... limits) {
        List<PolicyLimit> named = new ArrayList<>();
        for (Limit limit : limits) {
            named.add(new PolicyLimit("l" + named.size(), limit));
        }
        return new Policy("policy", named, KeyTemplate.GLOBAL, MissingKey.IP, List.of(), OnRedisFailure.LOCAL, mode, true,
                PlanTable.NONE,
                Exemptions.NONE, countWhen, denialCache, null, Prefetch.NONE, Duration.ZERO, Duration.ZERO);
    }
}
