package io.quarkiverse.ratelimit.runtime.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
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
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** A key that is denied too often is blocked for a while. DecideScriptTest shows that Redis and the memory do the same. */
class PenaltyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);
    /** Fills within a second. */
    private static final Limit TWO_A_SECOND = Limit.fixedWindow(2, SECOND);
    private static final Penalty THREE_WITHIN_TEN_SECONDS = new Penalty(3, SECOND.multipliedBy(10), MINUTE,
            MINUTE.multipliedBy(5));
    private static final Vertx VERTX = Vertx.vertx();

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);
    private final AtomicInteger requested = new AtomicInteger();
    /** The request to the store before which a second passes. */
    private int movesOnAt;
    private final TestLimiter limiter = new TestLimiter(new Counting(), store, VERTX, SECOND,
            new DenialCache(() -> 1_000 * micros.get()), () -> 1_000 * micros.get());

    @AfterAll
    static void close() {
        VERTX.close();
    }

    @Test
    void thirdDenialWithinTheSpanBlocks() {
        Policy policy = policy(TWO_A_SECOND);
        acquire(policy, 2);

        assertThat(acquire(policy, 4)).extracting(d -> d.denialReason().orElseThrow()).containsExactly(
                DenialReason.LIMIT_REACHED, DenialReason.LIMIT_REACHED, DenialReason.BLOCKED, DenialReason.BLOCKED);
        pass(SECOND);
        assertThat(acquire(policy)).returns(false, RateLimitDecision::allowed)
                .returns(MINUTE.minus(SECOND), RateLimitDecision::retryAfter);
    }

    @Test
    void waitingForTheRetryAfterOfABlockSucceeds() {
        Policy policy = policy(TWO_A_SECOND);
        Duration wait = blocked(policy).retryAfter();
        assertThat(wait).isEqualTo(MINUTE);

        pass(wait.minusNanos(1_000));
        assertThat(acquire(policy).denialReason()).contains(DenialReason.BLOCKED);
        pass(Duration.ofNanos(1_000));
        assertThat(acquire(policy).allowed()).isTrue();
    }

    @Test
    void retryAfterIsNeverBeforeTheLimitAllows() {
        Policy policy = policy(Limit.slidingLog(1, DAY));

        RateLimitDecision blocked = blocked(policy);

        assertThat(blocked).returns(DAY, RateLimitDecision::retryAfter).returns(DAY, RateLimitDecision::resetAfter);
    }

    @Test
    void denialsCountExactlyInAnySpan() {
        Random random = new Random(3);
        Policy policy = policy(Limit.fixedWindow(1, DAY.multipliedBy(300)));
        acquire(policy);
        Deque<Long> denials = new ArrayDeque<>();
        long blockedUntil = 0, lastBlock = 0, blocks = 0;
        for (int step = 0; step < 3_000; step++) {
            pass(Duration.ofMillis(random.nextInt(random.nextInt(20) == 0 ? 400_000 : 6_000)));
            long now = micros.get();
            boolean wasBlocked = now < blockedUntil;
            if (!wasBlocked) {
                denials.addLast(now);
                denials.removeIf(at -> at + SECOND.multipliedBy(10).toNanos() / 1_000 <= now);
                if (denials.size() >= 3) {
                    long most = MINUTE.multipliedBy(5).toNanos() / 1_000;
                    lastBlock = blocks > 0 && now < blockedUntil + most ? Math.min(2 * lastBlock, most)
                            : MINUTE.toNanos() / 1_000;
                    blockedUntil = now + lastBlock;
                    blocks++;
                    denials.clear();
                }
            }

            RateLimitDecision decision = limiter.decide(policy, "alice", new PermitRequest(1, OperationKind.ACQUIRE, 0))
                    .decisions()
                    .get(0);

            assertThat(decision.denialReason()).as("step %d", step)
                    .contains(now < blockedUntil ? DenialReason.BLOCKED : DenialReason.LIMIT_REACHED);
            assertThat(blockedFor(policy)).isEqualTo(Math.max(0, blockedUntil - now));
        }
        assertThat(blocks).isGreaterThan(50);
    }

    @Test
    void eachFurtherBlockIsTwiceAsLongUpToTheLongest() {
        Policy policy = policy(TWO_A_SECOND);
        List<Duration> blocks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Duration block = blocked(policy).retryAfter();
            blocks.add(block);
            pass(block.plus(SECOND.multipliedBy(10)));
        }
        pass(MINUTE.multipliedBy(5));
        blocks.add(blocked(policy).retryAfter());

        assertThat(blocks).extracting(Duration::toMinutes).containsExactly(1L, 2L, 4L, 5L, 5L, 1L);
    }

    @Test
    void blockedKeyHasNothingLeftInAnyLimit() {
        Policy policy = policy(Limit.concurrency(100), Limit.tokenBucket(2).refill(2, SECOND),
                Limit.tokenBucket(50).refill(50, SECOND).maxWait(MINUTE));

        RateLimitDecision blocked = blocked(policy);

        assertThat(blocked).returns(0L, RateLimitDecision::remaining).returns(0L, RateLimitDecision::granted)
                .returns(Duration.ZERO, RateLimitDecision::delay);
        assertThat(blocked.limits()).hasSize(3).allSatisfy(limit -> assertThat(limit).returns(false, LimitState::allowed)
                .returns(0L, LimitState::remaining).returns(MINUTE, LimitState::retryAfter)
                .returns(MINUTE, LimitState::nextPermitAfter).returns(MINUTE, LimitState::resetAfter)
                .returns(Duration.ZERO, LimitState::delay));
    }

    @ParameterizedTest
    @EnumSource
    void everyAlgorithmCounts(Algorithm algorithm) {
        Policy policy = policy(switch (algorithm) {
            case TOKEN_BUCKET -> Limit.tokenBucket(2).refill(2, SECOND);
            case LEAKY_BUCKET -> Limit.leakyBucket(1, SECOND, Duration.ofMillis(1));
            case FIXED_WINDOW -> TWO_A_SECOND;
            case SLIDING_WINDOW -> Limit.slidingWindow(2, SECOND);
            case SLIDING_LOG -> Limit.slidingLog(2, SECOND);
            case CONCURRENCY -> Limit.concurrency(2);
        });

        assertThat(blocked(policy).denialReason()).contains(DenialReason.BLOCKED);
    }

    @Test
    void callThatCanNeverBeAllowedCountsAndIsBlockedLikeOthers() {
        Policy policy = policy(TWO_A_SECOND);
        for (int i = 0; i < 5; i++) {
            boolean blocked = i >= 2;
            assertThat(decide(policy, new PermitRequest(3, OperationKind.ACQUIRE, 0)))
                    .returns(!blocked, RateLimitDecision::neverAllowed)
                    .returns(blocked ? MINUTE : Duration.ZERO, RateLimitDecision::retryAfter)
                    .returns(blocked ? DenialReason.BLOCKED : DenialReason.COST_ABOVE_CAPACITY,
                            d -> d.denialReason().orElseThrow());
        }

        assertThat(acquire(policy).denialReason()).contains(DenialReason.BLOCKED);
    }

    @Test
    void callForAsManyAsThereAreCountsWhenItGetsNothing() {
        Policy policy = policy(TWO_A_SECOND);
        PermitRequest upToThree = new PermitRequest(3, OperationKind.ACQUIRE_UP_TO, 0);
        assertThat(decide(policy, upToThree).granted()).isEqualTo(2);

        decide(policy, upToThree);
        decide(policy, upToThree);
        assertThat(decide(policy, upToThree)).returns(DenialReason.BLOCKED, d -> d.denialReason().orElseThrow())
                .returns(0L, RateLimitDecision::granted).returns(MINUTE, RateLimitDecision::retryAfter);
    }

    @Test
    void peekShowsTheBlockAndCountsNothing() {
        Policy policy = policy(TWO_A_SECOND);
        acquire(policy, 4);
        for (int i = 0; i < 5; i++) {
            assertThat(peek(policy).denialReason()).contains(DenialReason.LIMIT_REACHED);
        }

        acquire(policy);

        assertThat(peek(policy)).returns(false, RateLimitDecision::allowed).returns(MINUTE, RateLimitDecision::retryAfter)
                .returns(DenialReason.BLOCKED, d -> d.denialReason().orElseThrow());
    }

    @Test
    void chargesAndRefundsWorkWhileBlocked() {
        Policy policy = policy(Limit.fixedWindow(5, DAY));
        RateLimitDecision acquired = decide(policy, new PermitRequest(5, OperationKind.ACQUIRE, 0));
        blocked(policy);

        assertThat(decide(policy, new PermitRequest(2, OperationKind.CHARGE, 0)).allowed()).isTrue();
        assertThat(used(policy(Limit.fixedWindow(9, DAY)))).isEqualTo(7);
        limiter.refunds.refundCost((Decision) acquired, 4).await().indefinitely();
        assertThat(used(policy(Limit.fixedWindow(9, DAY)))).isEqualTo(3);
    }

    @Test
    void denialByAnotherPolicyDoesNotCount() {
        Policy strict = named("strict", Limit.fixedWindow(1, DAY)).withPenalty(null);
        Policy policy = policy(TWO_A_SECOND);
        for (int i = 0; i < 6; i++) {
            limiter.decide(TestLimiter.request(strict, "alice", PermitRequest.of(1)),
                    TestLimiter.request(policy, "alice", PermitRequest.of(1)));
        }

        assertThat(acquire(policy).allowed()).isTrue();
    }

    @Test
    void blockedPolicyChargesNoOther() {
        Policy policy = policy(TWO_A_SECOND);
        blocked(policy);
        Policy other = named("other", Limit.fixedWindow(10, DAY)).withPenalty(null);

        Outcome outcome = limiter.decide(TestLimiter.request(other, "alice", PermitRequest.of(1)),
                TestLimiter.request(policy, "alice", PermitRequest.of(1)));

        assertThat(outcome.newDenial().decision()).returns("policy", RateLimitDecision::policy)
                .returns(DenialReason.BLOCKED, d -> d.denialReason().orElseThrow());
        assertThat(used(other)).isZero();
    }

    @Test
    void shadowPolicyBlocksNobodyButReportsIt() {
        Policy shadow = shadow(policy(TWO_A_SECOND));
        Policy other = named("other", Limit.fixedWindow(100, DAY)).withPenalty(null);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            outcomes.add(limiter.decide(TestLimiter.request(other, "alice", PermitRequest.of(1)),
                    TestLimiter.request(shadow, "alice", PermitRequest.of(1))));
        }

        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.newDenial()).isNull());
        assertThat(outcomes.get(5).shadows().get(0)).returns(false, Decision::allowed)
                .returns(DenialReason.BLOCKED, Decision::reason);
        assertThat(used(other)).isEqualTo(6);
    }

    @Test
    void callThatWaitsInVainCountsOnce() {
        Policy policy = policy(Limit.fixedWindow(2, DAY));
        acquire(policy, 2);
        for (int i = 0; i < 2; i++) {
            assertThat(waiting(policy, Duration.ofMillis(20)).denialReason()).contains(DenialReason.LIMIT_REACHED);
        }

        assertThat(waiting(policy, Duration.ofMillis(20)).denialReason()).contains(DenialReason.BLOCKED);
    }

    @Test
    void attemptsOfACallThatWaitsDoNotCount() {
        Policy policy = policy(Limit.fixedWindow(2, Duration.ofMillis(100)));
        acquire(policy, 2);
        movesOnAt = 8;

        assertThat(waiting(policy, SECOND.multipliedBy(20)).allowed()).isTrue();
        assertThat(requested).hasValue(8);
        assertThat(blockedFor(policy)).isZero();
    }

    @Test
    void blockedCallDoesNotWait() {
        Policy policy = policy(TWO_A_SECOND);
        blocked(policy);
        long began = System.nanoTime();

        assertThat(waiting(policy, Duration.ofHours(1)).denialReason()).contains(DenialReason.BLOCKED);
        assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(20));
    }

    @Test
    void clockThatJumpsBackLocksNobodyOutForLongerThanTheBlock() {
        TestLimiter limiter = new TestLimiter(UnboundedStore.withTime(micros::get), store, VERTX, SECOND);
        Policy policy = policy(TWO_A_SECOND);
        for (int i = 0; i < 5; i++) {
            limiter.decide(policy, "alice", PermitRequest.of(1));
        }
        pass(Duration.ofSeconds(-1_000));
        assertThat(limiter.decide(policy, "alice", PermitRequest.of(1)).decisions().get(0).retryAfter()).isEqualTo(MINUTE);

        pass(MINUTE);
        assertThat(limiter.decide(policy, "alice", PermitRequest.of(1)).isDenied()).isFalse();
    }

    @Test
    void denialCacheDeniesOnlyWhileTheKeyIsBlocked() {
        Policy policy = cached(policy(Limit.fixedWindow(2, DAY)));
        acquire(policy, 5);
        assertThat(requested).hasValue(5);

        assertThat(acquire(policy, 3)).extracting(RateLimitDecision::source).containsOnly(Source.DENIAL_CACHE);
        assertThat(requested).hasValue(5);
        pass(SECOND);
        assertThat(acquire(policy).source()).isEqualTo(Source.REDIS);
    }

    @Test
    void resetAndUnblockEndABlockAndRemoveTheCount() {
        Policy policy = cached(policy(TWO_A_SECOND));
        List<Runnable> ends = List.of(() -> limiter.administration.reset(policy, "alice").await().indefinitely(),
                () -> limiter.administration.unblock(policy, "alice").await().indefinitely());
        for (Runnable end : ends) {
            assertThat(blocked(policy).retryAfter()).isEqualTo(MINUTE);

            end.run();
            pass(SECOND);

            assertThat(acquire(policy, 4)).extracting(RateLimitDecision::allowed).containsExactly(true, true, false, false);
            end.run();
            pass(SECOND);
        }
    }

    private List<RateLimitDecision> acquire(Policy policy, int calls) {
        List<RateLimitDecision> decisions = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            decisions.add(acquire(policy));
        }
        return decisions;
    }

    private RateLimitDecision acquire(Policy policy) {
        return decide(policy, PermitRequest.of(1));
    }

    /** Makes calls beyond the limits, and returns the decision that begins a block. */
    private RateLimitDecision blocked(Policy policy) {
        return acquire(policy, 200).stream()
                .filter(decision -> decision.denialReason().filter(DenialReason.BLOCKED::equals).isPresent()).findFirst()
                .orElseThrow(() -> new AssertionError("200 calls begin no block"));
    }

    private RateLimitDecision peek(Policy policy) {
        return decide(policy, new PermitRequest(1, OperationKind.PEEK, 0));
    }

    private long used(Policy policy) {
        LimitState limit = peek(policy.withPenalty(null)).limits().get(0);
        return limit.permits() - limit.remaining();
    }

    private long blockedFor(Policy policy) {
        return store.decideNow(StoreRequests.requestOf(policy, PermitRequest.PEEK, "alice")).blockedFor(1).toNanos() / 1_000;
    }

    private RateLimitDecision decide(Policy policy, PermitRequest requested) {
        return limiter.decide(policy, "alice", requested).decisions().get(0);
    }

    private RateLimitDecision waiting(Policy policy, Duration maxWait) {
        return limiter.calls
                .decideOrWait(() -> List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1)), "alice")), maxWait,
                        limiter.calls.deadline())
                .await()
                .atMost(Duration.ofSeconds(20)).decisions().get(0);
    }

    private void pass(Duration time) {
        micros.addAndGet(time.toNanos() / 1_000);
    }

    private static Policy policy(Limit... limits) {
        return named("policy", limits);
    }

    private static Policy named(String name, Limit... limits) {
        return made(name, Mode.ENFORCE, Duration.ZERO, limits);
    }

    private static Policy shadow(Policy policy) {
        return made(policy.name(), Mode.SHADOW, Duration.ZERO, limits(policy));
    }

    private static Policy cached(Policy policy) {
        return made(policy.name(), Mode.ENFORCE, SECOND, limits(policy));
    }

    private static Limit[] limits(Policy policy) {
        return policy.limits().stream().map(PolicyLimit::limit).toArray(Limit[]::new);
    }

    private static Policy made(String name, Mode mode, Duration denialCache, Limit... limits) {
        List<PolicyLimit> named = new ArrayList<>();
        for (Limit limit : limits) {
            named.add(new PolicyLimit("l" + named.size(), limit));
        }
        return new Policy(name, named, KeyTemplate.GLOBAL, MissingKey.IP, List.of(), OnRedisFailure.LOCAL, mode, true,
                PlanTable.NONE,
                Exemptions.NONE, Statuses.ALL, denialCache, THREE_WITHIN_TEN_SECONDS, Prefetch.NONE, Duration.ZERO,
                Duration.ZERO);
    }

    private final class Counting implements LimitStore {

        @Override
        public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
            return decide(request);
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request) {
            if (requested.incrementAndGet() == movesOnAt) {
                pass(SECOND);
            }
            return store.decide(request);
        }
    }
}
