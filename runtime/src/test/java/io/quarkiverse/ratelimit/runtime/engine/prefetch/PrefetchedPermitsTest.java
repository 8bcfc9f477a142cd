package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** What an instance acquires ahead, hands out and refunds. */
class PrefetchedPermitsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);
    private static final Limit THOUSAND = Limit.tokenBucket(1_000).refill(1, Duration.ofDays(1));
    private static final Vertx VERTX = Vertx.vertx();

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore shared = new LocalStore(micros::get);
    private final UnreliableStore store = new UnreliableStore(shared);
    private volatile boolean clockFails;
    private final TestLimiter limiter = limiter(() -> {
        if (clockFails) {
            throw new IllegalStateException("a mistake");
        }
        return 1_000 * micros.get();
    });
    private final TestLimiter other = limiter(() -> 1_000 * micros.get());
    private final String caller = UUID.randomUUID().toString();
    /** What {@link #caller} was granted. */
    private long used;

    @AfterAll
    static void close() {
        VERTX.close();
    }

    @Test
    void oftenUsedKeyIsHandedOutWithoutRequests() {
        Policy policy = policy(THOUSAND);

        List<Decision> decisions = calls(policy, 200);

        assertThat(store.requests()).isLessThan(30);
        assertThat(decisions).allMatch(Decision::allowed).extracting(Decision::source).contains(Source.PREFETCHED);
        assertThat(decisions).extracting(Decision::remaining).startsWith(999L).endsWith(800L)
                .isSortedAccordingTo((one, next) -> Long.compare(next, one)).doesNotHaveDuplicates();
    }

    @Test
    void rarelyUsedKeyAcquiresNothingAhead() {
        Policy policy = policy(THOUSAND);

        for (int call = 1; call <= 50; call++) {
            assertThat(decide(policy, 1).source()).isEqualTo(Source.REDIS);
            pass(Duration.ofMillis(100));
        }

        assertThat(left(policy)).isEqualTo(950);
    }

    @Test
    void nothingIsAheadWhenTheLimitIsNearlyUsedUp() {
        Policy policy = policy(THOUSAND);
        while (left(policy) >= 125) {
            decide(policy, 1);
        }
        drain(policy);

        assertThat(calls(policy, 20)).extracting(Decision::source).containsOnly(Source.REDIS);
    }

    @Test
    void exactlyWhatTheLimitAllowsIsAllowed() {
        for (Limit limit : List.of(THOUSAND, Limit.fixedWindow(1_000, Duration.ofDays(1)))) {
            Policy policy = policy(limit);
            String somebody = UUID.randomUUID().toString();
            int allowed = 0;
            for (int call = 0; call < 2_000; call++) {
                TestLimiter instance = call % 3 == 0 ? other : limiter;
                allowed += decide(instance, policy, somebody, 1).allowed() ? 1 : 0;
            }
            assertThat(allowed).isEqualTo(1_000);
        }
    }

    @Test
    void denialIsThatOfRedis() {
        Policy policy = policy(Limit.tokenBucket(100).refill(1, Duration.ofHours(1)));
        calls(policy, 100);

        assertThat(decide(policy, 1)).returns(Source.REDIS, Decision::source).returns(Duration.ofHours(1), Decision::retryAfter)
                .returns(DenialReason.LIMIT_REACHED, Decision::reason);
    }

    @Test
    void unusedPermitsAreRefundedWhenTheirTimeIsOver() {
        Policy policy = policy(THOUSAND, Duration.ofMillis(50));
        TestLimiter instance = limiter(System::nanoTime);
        for (int call = 0; call < 50; call++) {
            decide(instance, policy, caller, 1);
        }
        assertThat(left(policy)).isLessThan(950);

        await().atMost(SOON).until(() -> left(policy) == 950);
    }

    @Test
    void permitsAreNotHandedOutWhenTheirTimeIsOver() {
        Policy policy = policy(THOUSAND);
        hold(policy);

        pass(HALF_A_SECOND.minusNanos(1_000));
        assertThat(decide(policy, 1).source()).isEqualTo(Source.PREFETCHED);
        pass(Duration.ofNanos(1_000));
        assertThat(decide(policy, 1).source()).isEqualTo(Source.REDIS);
        await().atMost(SOON).until(() -> left(policy) == 1_000 - used);
    }

    @Test
    void permitsAreNotHandedOutInTheNextWindow() {
        Policy policy = policy(Limit.fixedWindow(1_000, Duration.ofSeconds(1)));
        pass(Duration.ofMillis(900));
        hold(policy);

        pass(Duration.ofMillis(100));

        assertThat(decide(policy, 1)).returns(Source.REDIS, Decision::source).returns(999L, Decision::remaining);
    }

    @Test
    void costAboveThePrefetchedPermitsIsAllowedAsWithout() {
        Policy policy = policy(THOUSAND);
        hold(policy);

        assertThat(decide(policy, 1_000 - used).allowed()).isTrue();
        assertThat(decide(policy, 1).allowed()).isFalse();
    }

    @Test
    void unusedPermitsAreRefundedExactlyAfterOtherCalls() {
        for (Limit limit : List.of(Limit.tokenBucket(1_000).refill(400, Duration.ofSeconds(1)),
                Limit.tokenBucket(1_000).refillInterval(40, Duration.ofMillis(100)))) {
            Policy policy = policy(limit.refill().name(), Mode.ENFORCE, limit, HALF_A_SECOND);
            Policy without = StoreRequests.policy("without " + limit.refill(), limit);
            used = 0;
            calls(policy, 100);
            assertThat(left(policy)).as("while the instance holds some").isLessThan(900);
            decide(other, without, caller, 100);
            pass(HALF_A_SECOND.dividedBy(2));
            assertThat(decide(policy, 301).source()).isEqualTo(Source.REDIS);
            decide(other, without, caller, 301);
            pass(HALF_A_SECOND.dividedBy(2));

            assertThat(left(limiter, policy)).as(limit.toString()).isEqualTo(left(other, without));
        }
    }

    @Test
    void unusedPermitsOfALimitThatCountsCallsAreRefunded() {
        for (Limit limit : List.of(THOUSAND, Limit.fixedWindow(1_000, Duration.ofDays(1)))) {
            Policy policy = policy(limit.algorithm().name(), Mode.ENFORCE, limit.counts(Counts.CALLS), HALF_A_SECOND);
            for (int call = 0; call < 100; call++) {
                decide(policy, 3);
            }
            assertThat(left(policy)).as("while the instance holds some").isLessThan(900);

            assertThat(left(limiter, policy)).isEqualTo(900);
        }
    }

    @Test
    void otherOperationsFindNothingAhead() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        assertThat(left(limiter, policy)).isEqualTo(1_000 - used);

        hold(policy);
        assertThat(limiter.decide(policy, caller, new PermitRequest(1_000, OperationKind.ACQUIRE_UP_TO, 0)).decisions().get(0)
                .granted()).isEqualTo(1_000 - used);
    }

    @Test
    void callUnderSeveralPoliciesFindsNothingAhead() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        Policy second = policy("second", Mode.ENFORCE, THOUSAND, HALF_A_SECOND);

        Outcome both = limiter.decide(TestLimiter.request(policy, caller, PermitRequest.of(1_000 - used)),
                TestLimiter.request(second, caller, PermitRequest.of(1)));

        assertThat(both.isDenied()).isFalse();
    }

    @Test
    void refundOfAHandedOutDecisionReturnsItsPermitsOnce() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        Decision handedOut = decide(policy, 1);
        drain(policy);

        limiter.refunds.refund(handedOut).await().atMost(SOON);
        limiter.refunds.refund(handedOut).await().atMost(SOON);

        assertThat(handedOut.source()).isEqualTo(Source.PREFETCHED);
        assertThat(left(policy)).isEqualTo(1_000 - used + 1);
    }

    @Test
    void handedOutDecisionIsAChargeOfRedisToOtherInstances() {
        Policy policy = policy(Limit.fixedWindow(1_000, Duration.ofHours(1)));
        Decision first = hold(policy);
        LimitState then = first.limits().get(0);
        pass(Duration.ofMillis(100));

        Decision second = decide(policy, 1);

        assertThat(second.chargedIn()).isEqualTo(Source.REDIS);
        LimitState charged = second.limitsAsCharged().get(0);
        assertThat(second.chargedAt().plus(charged.resetAfter()))
                .isEqualTo(first.chargedAt().plus(first.limitsAsCharged().get(0).resetAfter()));
        assertThat(charged.remaining()).isEqualTo(then.remaining() - 1);
    }

    @Test
    void resetDropsPrefetchedPermits() {
        Policy policy = policy(THOUSAND);
        hold(policy);

        limiter.administration.reset(policy, caller).await().atMost(SOON);

        assertThat(decide(policy, 1)).returns(Source.REDIS, Decision::source).returns(999L, Decision::remaining);
    }

    @Test
    void resetByAnotherInstanceDropsPrefetchedPermits() {
        Policy policy = policy(THOUSAND, HALF_A_SECOND);
        hold(policy);

        other.administration.reset(policy, caller).await().atMost(SOON);
        limiter.overrides.refresh().await().atMost(SOON);
        pass(HALF_A_SECOND);

        assertThat(decide(policy, 1)).returns(Source.REDIS, Decision::source).returns(999L, Decision::remaining);
        used = 1;
        assertThat(calls(policy, 100)).extracting(Decision::source).contains(Source.PREFETCHED);
    }

    @Test
    void blockedKeyIsDeniedDespitePrefetchedPermits() {
        Policy policy = policy(THOUSAND, Duration.ofSeconds(30));
        for (TestLimiter blocking : List.of(limiter, other)) {
            hold(policy);

            blocking.administration.block(policy, caller, Duration.ofMinutes(1), Change.BY_CODE).await().atMost(SOON);
            limiter.overrides.refresh().await().atMost(SOON);

            assertThat(decide(policy, 1).reason()).isEqualTo(DenialReason.BLOCKED);
            pass(Duration.ofMinutes(1));
            limiter.overrides.refresh().await().atMost(SOON);
            assertThat(decide(policy, 1).allowed()).isTrue();
            drain(policy);
            assertThat(left(policy)).isEqualTo(1_000 - used);
        }
    }

    @Test
    void blockByAPenaltyEndsPrefetchedPermitsOfOtherInstances() {
        Policy policy = policy(THOUSAND, Duration.ofSeconds(30)).withPenalty(new Penalty(1, Duration.ofMinutes(1),
                Duration.ofHours(1), Duration.ofHours(1)));
        hold(policy);

        assertThat(decide(other, policy, caller, 1_000).allowed()).isFalse();
        assertThat(decide(other, policy, caller, 1).reason()).isEqualTo(DenialReason.BLOCKED);
        pass(Duration.ofSeconds(1));

        assertThat(decide(policy, 1)).returns(Source.REDIS, Decision::source)
                .returns(DenialReason.BLOCKED, Decision::reason);
    }

    @Test
    void denialsOfAPolicyWithAPenaltyCountOnce() {
        Policy policy = policy(THOUSAND).withPenalty(new Penalty(2, Duration.ofMinutes(1), Duration.ofHours(1),
                Duration.ofHours(1)));
        hold(policy);

        assertThat(decide(policy, 1_000 - used).allowed()).isTrue();
        assertThat(decide(policy, 1).reason()).isEqualTo(DenialReason.LIMIT_REACHED);
        assertThat(decide(policy, 1).reason()).isEqualTo(DenialReason.BLOCKED);
    }

    @Test
    void changedLimitIsDecidedByRedis() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        Policy lowered = policy(Limit.tokenBucket(500).refill(1, Duration.ofDays(1)));

        Decision decision = decide(lowered, 1);

        assertThat(decision.source()).isEqualTo(Source.REDIS);
        await().atMost(SOON).until(() -> left(limiter, lowered) == 500 - used);
    }

    @Test
    void prefetchedPermitsAreUsedUpWhileRedisIsUnavailable() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        store.fail();

        List<Source> sources = calls(policy, 500).stream().map(Decision::source).toList();

        assertThat(sources).startsWith(Source.PREFETCHED).endsWith(Source.FALLBACK).doesNotContain(Source.REDIS)
                .isSorted();
    }

    @Test
    void stoppedInstanceHoldsNothing() {
        Policy policy = policy(THOUSAND);
        hold(policy);

        limiter.prefetched.stop().await().atMost(SOON);

        assertThat(left(policy)).isEqualTo(1_000 - used);
        assertThat(calls(policy, 20)).extracting(Decision::source).containsOnly(Source.REDIS);
    }

    /** The reply would arrive when the connection is closed, and the permits could not be refunded. */
    @Test
    void stopWaitsForPermitsThatAreBeingAcquired() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        store.delay();
        beginToAcquire(policy);

        CompletableFuture<Void> stop = limiter.prefetched.stop().subscribeAsCompletionStage();
        assertThat(stop).isNotDone();
        store.reply();

        assertThat(stop).succeedsWithin(SOON);
        assertThat(left(policy)).isEqualTo(1_000 - used);
    }

    @Test
    void shadowPolicyIsHandedOutToo() {
        Policy policy = policy("shadow", Mode.SHADOW, THOUSAND, HALF_A_SECOND);

        List<Source> sources = new ArrayList<>();
        for (int call = 0; call < 50; call++) {
            sources.add(limiter.decide(policy, caller, PermitRequest.of(1)).shadows().get(0).source());
        }

        assertThat(sources).contains(Source.PREFETCHED);
    }

    @Test
    void nextPermitsAreAcquiredWhileSomeAreLeft() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        int before = store.requests();

        assertThat(calls(policy, 200)).extracting(Decision::source).containsOnly(Source.PREFETCHED);

        assertThat(store.requests() - before).isBetween(2, 20);
    }

    @Test
    void noMorePermitsAreHeldThanConfigured() {
        Policy policy = policy(Limit.fixedWindow(1_000_000, Duration.ofDays(1)));
        for (int call = 0; call < 3_000; call++) {
            decide(policy, 1);
            assertThat(1_000_000 - used - left(policy)).isBetween(0L, 300L);
        }
        assertThat(1_000_000 - used - left(policy)).isPositive();
    }

    @Test
    void callsThatFindNothingLeftShareThePermitsThatAreBeingAcquired() {
        Policy policy = policy(THOUSAND);
        calls(policy, 300);
        store.delay();
        beginToAcquire(policy);
        int before = store.requests();
        List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
        while (waiting.stream().filter(call -> !call.isDone()).count() < 8) {
            waiting.add(start(policy));
        }

        store.reply();

        assertThat(waiting).extracting(call -> call.join().decisions().get(0).source()).containsOnly(Source.PREFETCHED);
        assertThat(store.requests()).as("at most the next permits").isLessThanOrEqualTo(before + 1);
    }

    @Test
    void callsInTurnGetPermitsInTurn() {
        Policy policy = policy(Limit.fixedWindow(1_000_000, Duration.ofDays(1)));
        store.replyOn(ForkJoinPool.commonPool());

        List<Decision> decisions = calls(policy, 100_000);

        assertThat(decisions).extracting(Decision::remaining)
                .isEqualTo(LongStream.range(0, 100_000).mapToObj(call -> 999_999 - call).toList());
    }

    @Test
    void callsThatWaitForPermitsAreAnsweredWhenTheyCannotBeAcquired() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        store.delay();
        beginToAcquire(policy);
        List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
        while (waiting.stream().filter(call -> !call.isDone()).count() < 8) {
            waiting.add(start(policy));
        }

        store.fail();

        assertThat(waiting).extracting(call -> call.join().decisions().get(0).source()).contains(Source.FALLBACK)
                .doesNotContain(Source.REDIS);
    }

    @Test
    void denialWaitsForPermitsThatAreBeingAcquired() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        store.delay();
        beginToAcquire(policy);
        CompletableFuture<Outcome> all = limiter.calls
                .decide(List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1_000 - used)), caller)),
                        limiter.calls.deadline())
                .subscribeAsCompletionStage();
        store.reply();

        assertThat(all.join().isDenied()).isFalse();
        assertThat(decide(policy, 1).allowed()).isFalse();
    }

    @Test
    void callsAreAnsweredWhenPermitsCannotBeAcquired() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        drain(policy);
        store.delay();
        List<CompletableFuture<Outcome>> waiting = Stream.generate(() -> start(policy)).limit(8).toList();

        store.fail();

        assertThat(waiting).extracting(call -> call.join().decisions().get(0).source()).containsOnly(Source.FALLBACK);
    }

    @Test
    void callsAreAnsweredAfterAMistake() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        drain(policy);
        store.delay();
        List<CompletableFuture<Outcome>> waiting = Stream.generate(() -> start(policy)).limit(64).toList();

        clockFails = true;
        store.reply();

        assertThat(waiting).allSatisfy(call -> assertThat(call).succeedsWithin(SOON));
        clockFails = false;
        assertThat(decide(policy, 1).allowed()).isTrue();
    }

    /** Calls until a request in the background is under way, whose reply is delayed. */
    private void beginToAcquire(Policy policy) {
        int before = store.requests();
        while (store.requests() == before) {
            assertThat(decide(policy, 1).source()).isEqualTo(Source.PREFETCHED);
        }
    }

    private CompletableFuture<Outcome> start(Policy policy) {
        return limiter.calls
                .decide(List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1)), caller)), limiter.calls.deadline())
                .subscribeAsCompletionStage();
    }

    @Test
    void laterCallsAreDecidedAfterACanceledOne() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        drain(policy);
        store.delay();

        limiter.calls
                .decide(List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1)), caller)), limiter.calls.deadline())
                .subscribe()
                .with(never -> {
                }).cancel();
        store.reply();

        assertThat(calls(policy, 50)).allMatch(Decision::allowed);
    }

    @Test
    void callWithoutSubscriptionAcquiresNothing() {
        Policy policy = policy(THOUSAND);
        hold(policy);
        drain(policy);

        Uni<Outcome> unused = limiter.calls.decide(List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1)), caller)),
                limiter.calls.deadline());

        assertThat(left(policy)).isEqualTo(1_000 - used);
        assertThat(calls(policy, 50)).allMatch(Decision::allowed);
        assertThat(unused).isNotNull();
    }

    /** Calls until the instance has just acquired permits ahead, and returns the first decision that it handed out. */
    private Decision hold(Policy policy) {
        return Stream.generate(() -> decide(policy, 1)).limit(100)
                .filter(decision -> decision.source() == Source.PREFETCHED).findFirst().orElseThrow();
    }

    /** Calls until the instance holds nothing. */
    private void drain(Policy policy) {
        while (left(policy) < 1_000 - used) {
            decide(policy, 1);
        }
    }

    private List<Decision> calls(Policy policy, int count) {
        List<Decision> decisions = new ArrayList<>();
        for (int call = 0; call < count; call++) {
            decisions.add(decide(policy, 1));
        }
        return decisions;
    }

    private Decision decide(Policy policy, long cost) {
        Decision decision = decide(limiter, policy, caller, cost);
        used += decision.allowed() ? cost : 0;
        return decision;
    }

    private static Decision decide(TestLimiter instance, Policy policy, String caller, long cost) {
        return instance.decide(policy, caller, PermitRequest.of(cost)).decisions().get(0);
    }

    /** What Redis has left, as another instance sees it. */
    private long left(Policy policy) {
        return left(other, policy);
    }

    private long left(TestLimiter instance, Policy policy) {
        return instance.decide(policy, caller, new PermitRequest(1, OperationKind.PEEK, 0)).decisions().get(0).remaining();
    }

    private void pass(Duration time) {
        micros.addAndGet(time.toNanos() / 1_000);
    }

    private TestLimiter limiter(LongSupplier nanoTime) {
        return new TestLimiter(store, new LocalStore(micros::get), VERTX, SOON, nanoTime,
                new Overrides(shared.overrides(), micros::get));
    }

    private static Policy policy(Limit limit) {
        return policy(limit, HALF_A_SECOND);
    }

    private static Policy policy(Limit limit, Duration prefetchTime) {
        return policy("policy", Mode.ENFORCE, limit, prefetchTime);
    }

    private static Policy policy(String name, Mode mode, Limit limit, Duration prefetchTime) {
        return UnreliableStore.prefetching(name, mode, new PolicyLimit("l0", limit), 300, prefetchTime);
    }
}
