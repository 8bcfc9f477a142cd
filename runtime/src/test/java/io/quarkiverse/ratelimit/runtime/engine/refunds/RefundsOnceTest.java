package io.quarkiverse.ratelimit.runtime.engine.refunds;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.redis.client.Command;

/** A refund has an effect only once. The memory that this needs grows with the callers, not with their calls. */
@Tag("slow")
class RefundsOnceTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Policy BUCKET = policy("bucket", Limit.tokenBucket(10).refill(1, Duration.ofDays(1)));
    private static final Policy DAY = policy("day", Limit.fixedWindow(10, Duration.ofDays(1)));
    /** Its states expire before the markers of refunds. */
    private static final Policy SHORT = policy("short", Limit.tokenBucket(1).refill(1, Duration.ofSeconds(100)));
    private static final Policy RUNNING = policy("running", Limit.concurrency(1).leaseTime(Duration.ofSeconds(1)));
    private static final String MARKERS = "test:{caller}:bucket:refunds:ids";
    private static final PermitRequest PEEK = new PermitRequest(1, OperationKind.PEEK, 0);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private TcpProxy proxy;
    private RedisStore store;
    private TestLimiter limiter;
    private final LocalStore local = new LocalStore(() -> System.currentTimeMillis() * 1000);

    @BeforeEach
    void start() {
        REDIS.send(Command.FLUSHALL);
        proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), Duration.ofMillis(500));
        limiter = limiter();
    }

    private TestLimiter limiter() {
        return new TestLimiter(store, local, REDIS.vertx, Duration.ofMillis(500));
    }

    @AfterEach
    void stop() {
        store.close();
        proxy.close();
    }

    @Test
    void fiveThousandRefundsOfOneCallerLeaveOneKey() {
        for (int call = 0; call < 5_000; call++) {
            refund(limiter, decide(Source.REDIS, DAY, "caller", PermitRequest.of(1)));
        }

        assertThat(keys()).containsExactly("test:{caller}:day:refunds:ids");
        assertThat(decide(Source.REDIS, DAY, "caller", PEEK).remaining()).isEqualTo(10);
    }

    @Test
    void refundsOfCallsThatRedisHasConfirmedAreRemovedByTheNextOnes() {
        for (int call = 0; call < 1_000; call++) {
            limiter.refunds.refund(limiter.decide(BUCKET, "caller", PermitRequest.of(1))).await().atMost(SOON);
        }

        assertThat(REDIS.send(Command.ZCARD, MARKERS).toInteger()).isLessThanOrEqualTo(2);
    }

    @Test
    void refundOfACallThatRedisHasNotConfirmedIsRemembered() {
        Outcome first = limiter.decide(BUCKET, "caller", PermitRequest.of(1));
        proxy.dropReplies();
        limiter.refunds.refund(first).await().atMost(SOON);
        proxy.recover();
        String id = Long.toHexString(first.decisions().get(0).id());
        await().atMost(SOON).until(() -> REDIS.send(Command.ZSCORE, MARKERS, id) != null);

        for (int call = 0; call < 10; call++) {
            limiter.refunds.refund(limiter.decide(BUCKET, "caller", PermitRequest.of(1))).await().atMost(SOON);
        }

        assertThat(REDIS.send(Command.ZSCORE, MARKERS, id)).isNotNull();
    }

    @Test
    void markersOfAnotherTypeAreReplaced() {
        RateLimitDecision acquired = decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(3));
        REDIS.send(Command.SET, MARKERS, "garbage");

        refund(limiter, acquired);

        assertThat(decide(Source.REDIS, BUCKET, "caller", PEEK).remaining()).isEqualTo(10);
        assertThat(REDIS.send(Command.ZCARD, MARKERS).toInteger()).isEqualTo(1);
    }

    @Test
    void markersLiveHardlyLongerThanRefundsAreRepeated() {
        refund(limiter, decide(Source.REDIS, DAY, "caller", PermitRequest.of(1)));

        assertThat(REDIS.send(Command.PTTL, keys().get(0)).toLong()).isBetween(60_000L, 62_001L);
    }

    @Test
    void markersOfAShortLimitLiveHardlyLongerThanItsPermitsAreInUse() {
        Policy second = policy("second", Limit.tokenBucket(10).refill(10, Duration.ofSeconds(1)));

        refund(limiter, decide(Source.REDIS, second, "caller", PermitRequest.of(10)));

        assertThat(REDIS.send(Command.PTTL, keys().get(0)).toLong()).isBetween(1L, 3_001L);
    }

    static List<Limit> overSoon() {
        Duration soon = Duration.ofMillis(100);
        return List.of(Limit.tokenBucket(10).refill(10, soon), Limit.tokenBucket(10).refillInterval(10, soon),
                Limit.fixedWindow(10, soon), Limit.slidingWindow(10, soon), Limit.slidingLog(10, soon));
    }

    @ParameterizedTest
    @MethodSource("overSoon")
    void refundOfPermitsThatNoLongerCountLeavesNoMarker(Limit limit) {
        Policy policy = policy("over", limit);
        RateLimitDecision acquired = decide(Source.REDIS, policy, "caller", PermitRequest.of(10));
        await().atMost(SOON).until(() -> keys().isEmpty());
        refund(limiter, acquired);
        assertThat(keys()).isEmpty();

        await().atMost(SOON).until(() -> decide(policy, "caller", PermitRequest.of(1)).allowed());
        refund(limiter, acquired);

        assertThat(keys()).hasSizeLessThan(2).doesNotContain("test:{caller}:over:refunds:ids");
    }

    @Test
    void oneRefundRemovesNoMoreThanTwoExpiredMarkers() {
        for (int expired = 0; expired < 1_000; expired++) {
            REDIS.send(Command.ZADD, MARKERS, expired, "expired" + expired);
        }

        for (int refunds = 1; refunds <= 3; refunds++) {
            refund(limiter, decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(1)));
            assertThat(REDIS.send(Command.ZCARD, MARKERS).toInteger()).isEqualTo(1_000 - refunds);
        }
    }

    @Test
    void refundsBeyondThoseThatAreRetriedAreCountedAndLoggedOnce() {
        AtomicInteger lost = new AtomicInteger();
        TestLimiter observed = new TestLimiter(store, local, REDIS.vertx, Duration.ofMillis(500),
                Observers.of(List.of(new DecisionObserver() {
                    @Override
                    public void decided(String policy, Effect effect, RateLimitDecision decision) {
                    }

                    @Override
                    public void refundLost(String policy) {
                        assertThat(policy).isEqualTo("many");
                        lost.incrementAndGet();
                    }
                })));
        Policy many = policy("many", Limit.fixedWindow(100_000, Duration.ofDays(1)));
        List<RateLimitDecision> acquired = new ArrayList<>();
        for (int call = 0; call < 10_030; call++) {
            acquired.add(observed.decide(many, "caller" + call % 50, PermitRequest.of(1)).decisions().get(0));
        }
        assertThat(acquired).extracting(RateLimitDecision::source).containsOnly(Source.REDIS);
        proxy.swallow();
        awaitDecision(Source.FALLBACK, BUCKET, "caller", PermitRequest.of(1));

        try (CapturedLog log = new CapturedLog()) {
            acquired.forEach(decision -> refund(observed, decision));

            assertThat(lost).hasValue(30);
            assertThat(log.messages("lost")).singleElement().asString().contains("A refund is lost").contains("policy many");
        } finally {
            observed.refunds.stop();
        }
    }

    @Test
    void endOfAReservationIsRememberedAsLongAsItsPermitsCount() {
        Decision reserved = (Decision) decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(4));
        Decision other = (Decision) decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(1));

        assertThat(limiter.refunds.end(reserved).await().atMost(SOON)).isTrue();
        refund(limiter, other);

        assertThat(Duration.ofMillis(REDIS.send(Command.PTTL, MARKERS).toLong()))
                .isBetween(Duration.ofDays(4).minusMinutes(1), Duration.ofDays(4).plusSeconds(1));
        assertThat(limiter().refunds.end(reserved).await().atMost(SOON)).isFalse();
    }

    @Test
    void reservationThatIsEndedWithoutRedisIsNotRenewedWhenRedisIsBack() {
        Outcome outcome = limiter.decide(RUNNING, "caller", PermitRequest.of(1));
        outcome.lease().confirm();
        Decision reserved = outcome.decisions().get(0);
        TestLimiter other = limiter();
        proxy.swallow();

        assertThat(other.refunds.end(reserved).await().atMost(SOON)).isTrue();
        other.leases.leaseOf(reserved).release().await().atMost(SOON);
        proxy.recover();

        await().during(Duration.ofSeconds(2)).atMost(SOON)
                .until(() -> limiter.decide(RUNNING, "caller", PEEK).decisions().get(0).allowed());
    }

    @Test
    void reservationOfThisInstanceThatIsEndedByItsIdIsNotRenewed() {
        Outcome outcome = limiter.decide(RUNNING, "caller", PermitRequest.of(1));
        outcome.lease().confirm();
        proxy.swallow();

        limiter.leases.leaseOf(outcome.decisions().get(0)).release().await().atMost(SOON);
        proxy.recover();

        await().during(Duration.ofSeconds(2)).atMost(SOON)
                .until(() -> limiter.decide(RUNNING, "caller", PEEK).decisions().get(0).allowed());
    }

    @Test
    void permitsAreReleasedAlsoIfTheEndOfTheirReservationHasStoppedTheRenewal() {
        Policy policy = policy("renewed", Limit.concurrency(1).leaseTime(Duration.ofSeconds(6)));
        Outcome outcome = limiter.decide(policy, "caller", PermitRequest.of(1));
        outcome.lease().confirm();
        limiter.refunds.end(outcome.decisions().get(0)).await().atMost(SOON);
        await().pollDelay(Duration.ofMillis(2_500)).atMost(SOON).until(() -> true);

        outcome.lease().release().await().atMost(SOON);

        assertThat(limiter.decide(policy, "caller", PEEK).decisions().get(0).allowed()).isTrue();
    }

    @Test
    void refundsInMemoryPushNoOtherCallerOut() {
        proxy.swallow();
        awaitDecision(Source.FALLBACK, DAY, "denied", PermitRequest.of(10));
        decide(Source.FALLBACK, SHORT, "denied", PermitRequest.of(1));
        // leave room for about a thousand keys or ids
        List<StoreRequest> others = IntStream.range(0, 198_900)
                .mapToObj(other -> requestOf("other" + other, 10, DAY)).toList();
        assertThat(others.stream().filter(this::isAllowedInMemory)).hasSize(198_900);

        for (int call = 0; call < 3_000; call++) {
            refund(limiter, decide(Source.FALLBACK, BUCKET, "busy", PermitRequest.of(1)));
        }

        assertThat(decide(Source.FALLBACK, DAY, "denied", PermitRequest.of(1)).allowed()).isFalse();
        assertThat(decide(Source.FALLBACK, SHORT, "denied", PermitRequest.of(1)).allowed()).isFalse();
        assertThat(others.stream().filter(this::isAllowedInMemory)).isEmpty();
    }

    private boolean isAllowedInMemory(StoreRequest request) {
        return request.allowedBy(local.decideNow(request));
    }

    @Test
    void refundOfADecisionThatWasRefundedLongAgoHasNoEffect() {
        for (Source source : new Source[] { Source.REDIS, Source.FALLBACK }) {
            if (source == Source.FALLBACK) {
                proxy.swallow();
            }
            RateLimitDecision first = awaitDecision(source, BUCKET, "caller", PermitRequest.of(4));
            decide(source, BUCKET, "caller", PermitRequest.of(4));
            refund(limiter, first);
            REDIS.send(Command.DEL, MARKERS);

            refund(limiter, first);

            assertThat(decide(source, BUCKET, "caller", PEEK)).returns(6L, RateLimitDecision::remaining)
                    .returns(source, RateLimitDecision::source);
        }
    }

    @Test
    void refundThatAnotherInstanceHasMadeHasNoEffect() {
        RateLimitDecision first = decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(4));
        decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(4));
        refund(limiter, first);

        refund(limiter(), first);

        assertThat(decide(Source.REDIS, BUCKET, "caller", PEEK).remaining()).isEqualTo(6);
    }

    @Test
    void refundWhoseReplyIsLostCountsOnce() {
        RateLimitDecision first = decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(4));
        decide(Source.REDIS, BUCKET, "caller", PermitRequest.of(4));
        proxy.dropReplies();
        refund(limiter, first);
        REDIS.send(Command.CONFIG, "RESETSTAT");

        proxy.recover();

        await().atMost(SOON).until(() -> REDIS.calls("zscore") > 0);
        assertThat(awaitDecision(Source.REDIS, BUCKET, "caller", PEEK).remaining()).isEqualTo(6);
    }

    /** The first attempt and the last one take nearly as long as the timeout. */
    @Test
    void refundThatIsRepeatedAfterLongTimeoutsCountsOnce() {
        Duration timeout = Duration.ofSeconds(5);
        AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
        AtomicInteger attempts = new AtomicInteger();
        TestLimiter slow = new TestLimiter(new UnreliableStore(new LocalStore(clock::get), request -> {
            boolean isRefund = request.operations().size() > 1;
            if (isRefund && attempts.incrementAndGet() == 2) {
                clock.addAndGet(TimeUnit.SECONDS.toMicros(60 + 2 * timeout.toSeconds()));
            }
            return isRefund && attempts.get() == 1;
        }), local, REDIS.vertx, timeout);
        RateLimitDecision first = slow.decide(DAY, "caller", PermitRequest.of(4)).decisions().get(0);
        slow.decide(DAY, "caller", PermitRequest.of(4));

        refund(slow, first);

        await().atMost(SOON).until(() -> attempts.get() == 2);
        assertThat(slow.decide(DAY, "caller", PEEK).decisions().get(0).remaining()).isEqualTo(6);
    }

    private RateLimitDecision awaitDecision(Source source, Policy policy, String caller, PermitRequest requested) {
        List<RateLimitDecision> decision = new ArrayList<>();
        await().atMost(SOON).until(() -> {
            RateLimitDecision next = decide(policy, caller, requested);
            if (next.source() == source) {
                decision.add(next);
            } else if (next.granted() > 0) {
                refund(limiter, next);
            }
            return next.source() == source;
        });
        return decision.get(0);
    }

    private RateLimitDecision decide(Source source, Policy policy, String caller, PermitRequest requested) {
        RateLimitDecision decision = decide(policy, caller, requested);
        assertThat(decision.source()).isEqualTo(source);
        return decision;
    }

    private RateLimitDecision decide(Policy policy, String caller, PermitRequest requested) {
        return limiter.decide(policy, caller, requested).decisions().get(0);
    }

    private static void refund(TestLimiter limiter, RateLimitDecision decision) {
        limiter.refunds.refund((Decision) decision).await().atMost(SOON);
    }

    private static List<String> keys() {
        List<String> keys = new ArrayList<>();
        REDIS.send(Command.KEYS, "test:*").forEach(key -> keys.add(key.toString()));
        return keys;
    }
}
