package io.quarkiverse.ratelimit.runtime.engine.pauses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.QuotaProvider;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalOverrides;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.smallrye.mutiny.Multi;
import io.vertx.redis.client.Command;

/** Two instances with one Redis, of which one gets an answer with {@code Retry-After}. */
class PausesTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit WINDOW = Limit.fixedWindow(10, Duration.ofDays(300));
    private static final Limit TEN_A_SECOND = Limit.tokenBucket(10).refill(10, Duration.ofSeconds(1))
            .maxWait(Duration.ofSeconds(30));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final LimiterClock time = new LimiterClock();
    private final LongSupplier clock = time.ofThisInstance(Clock.systemUTC());
    private final String caller = UUID.randomUUID().toString();
    private final AtomicInteger pauses = new AtomicInteger();
    private final Policy window = obeying("policy", OnRedisFailure.LOCAL, WINDOW);
    private final Instance here = new Instance(), there = new Instance();

    @AfterEach
    void close() {
        here.close();
        there.close();
        REDIS.send(Command.FLUSHALL);
    }

    @Test
    void answerPausesTheKeyOnAllInstancesForThatTime() {
        here.answered(window, "60");
        there.refresh();

        for (Instance instance : List.of(here, there)) {
            Decision denial = instance.acquire(window);
            assertThat(denial).returns(DenialReason.PAUSED, Decision::reason);
            assertThat(denial.retryAfter()).isPositive()
                    .isLessThanOrEqualTo(Duration.ofMillis(60_100));
        }
        assertThat(there.limiter.decide(window, "another", PermitRequest.of(1)).isDenied()).isFalse();

        time.advance(Duration.ofMillis(60_100));
        for (Instance instance : List.of(here, there)) {
            instance.refresh();
            assertThat(instance.acquire(window).allowed()).isTrue();
        }
        assertThat(pauses).hasValue(1);
    }

    @Test
    void answerPausesNoPolicyThatDoesNotLimitTheCaller() {
        Decision exempt = Decision.uncounted(window, "", 1, Source.NOT_LIMITED, null);
        here.pauses.obey(new Outcome(List.of(exempt)), 429, Map.of("Retry-After", List.of("60"))).await().atMost(SOON);

        assertThat(here.overrides.pausedFor("policy", "")).isZero();
    }

    @Test
    void laterAnswersExtendAPauseAndNeverShortenIt() {
        here.answered(window, "60");
        there.answered(window, "30");
        here.refresh();
        assertThat(here.acquire(window).retryAfter()).isGreaterThan(Duration.ofSeconds(40));

        there.answered(window, "120");
        here.refresh();

        assertThat(here.acquire(window).retryAfter()).isGreaterThan(Duration.ofSeconds(100));
        assertThat(pauses).hasValue(1);
    }

    @Test
    void pauseOfAnotherInstanceThatIsNotKnownHereYetIsNotShortened() {
        here.answered(window, "600");
        there.answered(window, "30");

        assertThat(there.acquire(window).retryAfter()).isGreaterThan(Duration.ofMinutes(8));
        assertThat(pauses).hasValue(1);
    }

    @Test
    void longerBlockOfAnOperatorStays() {
        there.limiter.administration.block(window, caller, HOUR, Change.BY_CODE).await().atMost(SOON);
        here.answered(window, "30");
        here.refresh();

        assertThat(here.acquire(window)).returns(DenialReason.BLOCKED, Decision::reason);
        assertThat(here.acquire(window).retryAfter()).isGreaterThan(Duration.ofMinutes(59));
    }

    @Test
    void shorterBlockOfAnOperatorIsExtended() {
        there.limiter.administration.block(window, caller, Duration.ofSeconds(30), Change.BY_CODE).await().atMost(SOON);
        here.answered(window, "600");

        assertThat(here.acquire(window)).returns(DenialReason.PAUSED, Decision::reason);
        there.refresh();
        assertThat(there.acquire(window).retryAfter()).isGreaterThan(Duration.ofMinutes(9));
    }

    @Test
    void operatorsEndAPause() {
        here.answered(window, "600");
        there.refresh();
        assertThat(there.limiter.administration.blocked(window).await().atMost(SOON)).singleElement()
                .returns(caller, BlockedKey::key).returns(DenialReason.PAUSED, BlockedKey::reason);
        there.limiter.administration.unblock(window, caller).await().atMost(SOON);
        here.refresh();
        assertThat(here.acquire(window).allowed()).isTrue();

        here.answered(window, "600");
        there.limiter.administration.reset(window, caller).await().atMost(SOON);
        here.refresh();
        assertThat(here.acquire(window)).returns(9L, Decision::remaining);
    }

    /** So that responses that arrive together change the pause once. */
    @ParameterizedTest
    @CsvSource({ "0.001, 1000", "0.493, 4930", "1, 10000", "7, 70000", "3599.95, 100000", "3600, 100000",
            "100000, 100000" })
    void pausesEndAtHundredthsOfTheirTimeAndOnlyTheCapShortensThem(BigDecimal seconds, long step) {
        long now = 1_795_377_231_412_345L;
        Overrides overrides = new Overrides(new LocalStore(() -> now).overrides(), () -> now);
        Pauses pauses = new Pauses(overrides, here.limiter.buckets, Observers.of(List.of()), () -> now);
        pauses.obey(here.outcome(window), 429, Map.of("Retry-After", List.of(seconds.toString()))).await().atMost(SOON);

        long pause = LimitUsage.micros(overrides.pausedFor("policy", caller));
        long requested = Math.min(seconds.movePointRight(6).longValueExact(), LimitUsage.micros(HOUR));
        boolean isCapped = seconds.compareTo(BigDecimal.valueOf(3_600)) > 0;
        assertThat(pause == requested ? 0 : (now + pause) % step).isZero();
        assertThat(pause).isBetween(requested - (isCapped ? step : 0), Math.min(requested + step, LimitUsage.micros(HOUR)));
    }

    @Test
    void pausesAndValuesThatAreNotUnderstoodAreLoggedOnceAMinuteForAPolicy() {
        Policy another = obeying("another", OnRedisFailure.LOCAL, WINDOW);
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new ExtHandler() {

            @Override
            protected void doPublish(ExtLogRecord record) {
                if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                    warnings.add(record.getFormattedMessage());
                }
            }
        };
        Logger logger = Logger.getLogger("io.quarkiverse.ratelimit");
        logger.addHandler(handler);
        try {
            for (String key : List.of("alice", "bob")) {
                for (Policy policy : List.of(window, another)) {
                    Outcome outcome = new Outcome(List.of(Decision.uncounted(policy, key, 1, Source.REDIS, null)));
                    here.pauses.obey(outcome, 529, Map.of("Retry-After", List.of("-1", "20"))).await().atMost(SOON);
                }
            }
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(warnings).hasSize(4);
        for (String policy : List.of("policy", "another")) {
            assertThat(warnings)
                    .contains("Policy " + policy + " pauses alice for 20 s, as the called service has responded 529")
                    .contains("Policy " + policy + " ignores a value that is not understood in a response 529 of the called"
                            + " service. Retry-After: -1");
        }
    }

    /** Whoever chooses keys can pause as many as it wants. */
    @Test
    void pausesOfAPolicyTakeNoPlaceOfAnotherPolicy() {
        Policy another = obeying("another", OnRedisFailure.LOCAL, WINDOW);
        here.overrides.pause(another, caller, HOUR).await().atMost(SOON);
        here.pauseMany(window, 1_010);
        here.overrides.pause(another, "bob", HOUR).await().atMost(SOON);
        here.refresh();
        there.refresh();

        for (Instance instance : List.of(here, there)) {
            assertThat(instance.acquire(another)).returns(DenialReason.PAUSED, Decision::reason);
            assertThat(instance.limiter.decide(another, "bob", PermitRequest.of(1)).isDenied()).isTrue();
        }
        assertThat(there.paused(window, 1_010)).isEqualTo(1_000);
        assertThat(here.paused(window, 1_010)).isEqualTo(1_010);
    }

    @Test
    void operatorsEndAPauseThatHasLostItsPlace() {
        here.overrides.pause(window, "key0", Duration.ofMinutes(30)).await().atMost(SOON);
        here.overrides.pause(window, caller, Duration.ofMinutes(40)).await().atMost(SOON);
        here.pauseMany(window, 1_010);
        here.refresh();
        assertThat(here.acquire(window)).returns(DenialReason.PAUSED, Decision::reason);

        there.limiter.administration.unblock(window, caller).await().atMost(SOON);
        here.refresh();

        assertThat(here.acquire(window).allowed()).isTrue();
        assertThat(here.paused(window, 1_010)).isEqualTo(1_010);
    }

    @Test
    void pauseBeginsAgainAfterAnOperatorHasEndedIt() {
        for (int i = 0; i < 3; i++) {
            here.answered(window, "600");
            there.refresh();
            assertThat(there.acquire(window)).returns(DenialReason.PAUSED, Decision::reason);
            there.limiter.administration.unblock(window, caller).await().atMost(SOON);
            here.refresh();
            assertThat(here.acquire(window).allowed()).isTrue();
        }
    }

    @Test
    void pausesOfThisInstanceAreBoundedAndTakeNoPlaceOfAnotherPolicy() {
        Policy another = obeying("another", OnRedisFailure.LOCAL, WINDOW);
        AtomicLong now = new AtomicLong(1_795_377_231_412_345L);
        Overrides overrides = new Overrides(LocalOverrides.none(), now::get);
        overrides.pause(another, "key", HOUR.minusMinutes(5));
        overrides.pause(window, "first", HOUR.minusMinutes(1));
        for (int key = 0; key < OverrideStore.MAX_PAUSES - 1; key++) {
            overrides.pause(window, "key" + key, HOUR);
        }
        assertThat(overrides.pausedFor("policy", "first")).isZero();
        assertThat(overrides.pausedFor("policy", "key7")).isEqualTo(HOUR);
        assertThat(overrides.pausedFor("another", "key")).isPositive();
        assertThat(overrides.blocks(window)).hasSize(OverrideStore.MAX_PAUSES - 1);

        now.addAndGet(LimitUsage.micros(HOUR));
        overrides.pause(window, "later", HOUR);
        assertThat(overrides.pausedFor("policy", "later")).isEqualTo(HOUR);
        overrides.refresh().await().atMost(SOON);
        assertThat(overrides.blocks(window)).hasSize(1);
    }

    @Test
    void pauseOfCodeNeedsNoConfigurationAndIsNotCapped() {
        Policy plain = StoreRequests.policy("plain", WINDOW);
        here.pauses.pause(plain, caller, Duration.ofDays(30)).await().atMost(SOON);
        there.refresh();

        for (Instance instance : List.of(here, there)) {
            assertThat(instance.acquire(plain)).returns(DenialReason.PAUSED, Decision::reason);
            assertThat(instance.acquire(plain).retryAfter()).isBetween(Duration.ofDays(29), Duration.ofDays(30));
        }
        assertThat(pauses).hasValue(1);
    }

    @Test
    void pauseOfCodeFailsWhileRedisIsUnavailableAndHoldsHere() {
        here.proxy.swallow();

        assertThatThrownBy(() -> here.pauses.pause(window, caller, HOUR).await().atMost(SOON))
                .isInstanceOf(RedisStoreException.class);
        assertThat(here.acquire(window)).returns(DenialReason.PAUSED, Decision::reason);
    }

    @ParameterizedTest
    @CsvSource({ "false, false", "false, true", "true, false" })
    void bucketsAreEmptyWhenAPauseEndsOrIsEnded(boolean atOnce, boolean waits) {
        Limit full = Limit.tokenBucket(1_000);
        Limit limit = (atOnce ? full.refillInterval(60, HOUR) : full.refill(60, HOUR))
                .maxWait(waits ? Duration.ofSeconds(1) : Duration.ZERO);
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL, limit);
        here.pauses.pause(bucket, caller, Duration.ofMinutes(30)).await().atMost(SOON);
        time.advance(Duration.ofMinutes(30));
        here.refresh();
        assertThat(here.limiter.decide(bucket, caller, PermitRequest.PEEK).decisions().get(0).remaining()).isZero();

        time.advance(Duration.ofHours(20));
        here.pauses.pause(bucket, caller, Duration.ofMinutes(30)).await().atMost(SOON);
        here.limiter.administration.unblock(bucket, caller).await().atMost(SOON);
        assertThat(here.limiter.decide(bucket, caller, PermitRequest.PEEK).decisions().get(0))
                .returns(0L, Decision::remaining).satisfies(
                        decision -> assertThat(decision.retryAfter()).isLessThanOrEqualTo(Duration.ofHours(1)));

        here.pauses.pause(bucket, caller, Duration.ofMinutes(30)).await().atMost(SOON);
        here.limiter.administration.reset(bucket, caller).await().atMost(SOON);
        assertThat(here.limiter.decide(bucket, caller, PermitRequest.PEEK).decisions().get(0).remaining()).isEqualTo(1_000);
    }

    @ParameterizedTest
    @CsvSource({ "false, false", "false, true", "true, false", "true, true" })
    void unblockEndsAPauseBesideABlockAndEmptiesItsBuckets(boolean atOnce, boolean blocksFirst) {
        Limit full = Limit.tokenBucket(10);
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL,
                atOnce ? full.refillInterval(10, Duration.ofMinutes(1)) : full.refill(10, Duration.ofMinutes(1)));
        for (Instance instance : List.of(here, there)) {
            List<Runnable> denials = new ArrayList<>(List.of(
                    () -> here.pauses.pause(bucket, caller, Duration.ofMinutes(10)).await().atMost(SOON),
                    () -> here.limiter.administration.block(bucket, caller, HOUR, Change.BY_CODE).await().atMost(SOON)));
            if (blocksFirst) {
                Collections.reverse(denials);
            }
            denials.forEach(Runnable::run);
            // the other instance has not read the pause
            instance.limiter.administration.unblock(bucket, caller).await().atMost(SOON);

            assertThat(instance.limiter.decide(bucket, caller, PermitRequest.PEEK).decisions().get(0))
                    .satisfies(decision -> assertThat(decision.remaining()).isLessThan(5)).extracting(Decision::retryAfter)
                    .satisfies(wait -> assertThat(wait).isLessThanOrEqualTo(Duration.ofMinutes(1)));
            instance.limiter.administration.reset(bucket, caller).await().atMost(SOON);
        }
    }

    @Test
    void unblockEmptiesTheBucketsInForceAndThoseOfThisInstance() {
        Limit large = Limit.tokenBucket(1_000).refill(1, HOUR);
        here.limiter.administration.override(window, caller, Map.of(window.limits().get(0).name(), large), HOUR, Change.BY_CODE)
                .await()
                .atMost(SOON);
        here.pauses.pause(here.overrides.forKey(window, caller), caller, HOUR).await().atMost(SOON);
        here.limiter.administration.unblock(here.overrides.forKey(window, caller), caller).await().atMost(SOON);

        assertThat(here.limiter.decide(window, caller, PermitRequest.PEEK).decisions().get(0).remaining()).isZero();
        here.proxy.swallow();
        assertThat(here.limiter.decide(window, caller, PermitRequest.PEEK).decisions().get(0))
                .returns(Source.FALLBACK, Decision::source).returns(0L, Decision::remaining);
    }

    @Test
    void unblockOfAKeyThatIsNotPausedLeavesItsBuckets() {
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL, Limit.tokenBucket(1_000).refill(1, HOUR));
        here.acquire(bucket);
        here.limiter.administration.block(bucket, caller, HOUR, Change.BY_CODE).await().atMost(SOON);
        here.limiter.administration.unblock(bucket, caller).await().atMost(SOON);

        assertThat(here.limiter.decide(bucket, caller, PermitRequest.PEEK).decisions().get(0).remaining()).isEqualTo(999);
    }

    @ParameterizedTest
    @CsvSource({ "1000000, 1000, 1, false", "1000000, 1000, 1, true", "1000000, 1000, 366, true",
            "1000000000, 1, 366, false" })
    void bucketsOfFastLimitsAreEmptyAfterLongPauses(long permits, long millis, long days, boolean atOnce) {
        Duration pause = Duration.ofDays(days), period = Duration.ofMillis(millis);
        Limit full = Limit.tokenBucket(permits);
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL,
                atOnce ? full.refillInterval(permits, period) : full.refill(permits, period));
        AtomicLong now = new AtomicLong(1_795_377_231_412_345L);
        LocalStore local = new LocalStore(now::get);
        Pauses inMemory = new Pauses(new Overrides(local.overrides(), now::get), new PausedBuckets(local, local, 1),
                Observers.of(List.of()), now::get);
        inMemory.pause(bucket, caller, pause).await().atMost(SOON);
        now.addAndGet(LimitUsage.micros(pause) - 1);
        StoreRequest peek = StoreRequests.requestOf(bucket, PermitRequest.PEEK, caller);
        assertThat(remaining(local.decide(peek).await().atMost(SOON), bucket)).isZero();

        // Redis' clock goes on
        here.pauses.pause(bucket, caller, pause).await().atMost(SOON);
        time.advance(pause.minusSeconds(30));
        assertThat(remaining(here.store.decide(peek).await().atMost(SOON), bucket)).isZero();
    }

    private static long remaining(StoreReply reply, Policy policy) {
        return reply.usage(0).state(policy.limits().get(0).name(), PermitRequest.PEEK, reply.time(), false).remaining();
    }

    /** The first call for each permit comes when it has come back. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void bucketsOfTheFallbackAreEmptyAfterAPauseToo(int replicas) {
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL,
                Limit.tokenBucket(10).refill(10, Duration.ofDays(1)));
        here.proxy.swallow();
        TestLimiter limiter = new TestLimiter(here.store, new LocalStore(clock), REDIS.vertx, TIMEOUT,
                new DenialCache(System::nanoTime), TestLimiter.noBeans(REDIS.vertx), 10, replicas);
        Pauses pauses = new Pauses(limiter.overrides, limiter.buckets, Observers.of(List.of()), clock);
        pauses.obey(here.outcome(bucket), 429, Map.of("Retry-After", List.of("60"))).await().atMost(SOON);
        time.advance(Duration.ofMinutes(1).plusMillis(600));

        Decision decision = limiter.decide(TestLimiter.request(bucket, caller, PermitRequest.of(1))).decisions().get(0);
        assertThat(decision).returns(Source.FALLBACK, Decision::source).returns(false, Decision::allowed);

        limiter.administration.unblock(bucket, caller).onFailure().recoverWithNull().await().atMost(SOON);
        assertThat(limiter.decide(TestLimiter.request(bucket, caller, PermitRequest.of(1))).decisions().get(0).retryAfter())
                .isLessThanOrEqualTo(Duration.ofDays(1).dividedBy(10 / replicas));
    }

    @ParameterizedTest
    @EnumSource
    void pauseHoldsWhileRedisIsUnavailable(OnRedisFailure failure) {
        Policy failing = obeying("policy", failure, WINDOW);
        here.answered(failing, "600");
        there.refresh();
        there.proxy.swallow();

        assertThat(there.acquire(failing)).returns(DenialReason.PAUSED, Decision::reason)
                .returns(Source.FALLBACK, Decision::source);
    }

    @Test
    void pauseDuringAnOutageHoldsOnThisInstance() {
        here.proxy.swallow();
        here.answered(window, "600");

        assertThat(here.acquire(window)).returns(DenialReason.PAUSED, Decision::reason);
        assertThat(pauses).hasValue(1);
    }

    @Test
    void policyInShadowModeIsOnlyReported() {
        Policy shadow = obeying("policy", Mode.SHADOW, OnRedisFailure.LOCAL, WINDOW);
        here.answered(shadow, "600");

        Outcome outcome = here.limiter.decide(shadow, caller, PermitRequest.of(1));

        assertThat(outcome.isDenied()).isFalse();
        assertThat(outcome.shadows().get(0)).returns(DenialReason.PAUSED, Decision::reason);
    }

    @Test
    void waitingCallsOfAllInstancesGoAtThePaceOfTheLimit() {
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL, TEN_A_SECOND);
        here.acquire(bucket);
        long paused = System.nanoTime();
        here.answered(bucket, "2");
        there.refresh();

        List<CompletableFuture<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(here.waiting(bucket));
            calls.add(there.waiting(bucket));
        }
        List<Long> allowed = calls.stream().map(CompletableFuture::join).sorted().map(at -> (at - paused) / 1_000_000).toList();

        // one permit at once, and perhaps another one that has come back meanwhile
        for (int i = 0; i < allowed.size(); i++) {
            assertThat(allowed.get(i)).isGreaterThanOrEqualTo(1_990 + 100 * Math.max(0, i - 1));
        }
    }

    @Test
    void callWhoseDelayEndsDuringAPauseIsDecidedAgainAfterIt() {
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL,
                Limit.tokenBucket(1).refill(1, Duration.ofMillis(700)).maxWait(Duration.ofSeconds(30)));
        there.acquire(bucket);
        CompletableFuture<Long> delayed = there.waiting(bucket);
        long paused = System.nanoTime();
        here.answered(bucket, "2");
        there.refresh();

        assertThat(delayed.join() - paused).isGreaterThan(1_990_000_000L);
        assertThat(pauses).hasValue(1);
    }

    @Test
    void callThatCannotWaitForTheEndIsDenied() {
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL, TEN_A_SECOND);
        here.acquire(bucket);
        here.answered(bucket, "600");

        assertThat(here.acquire(bucket)).returns(DenialReason.PAUSED, Decision::reason);
    }

    /** Such as the settlement of a reservation. */
    @ParameterizedTest
    @EnumSource(value = OperationKind.class, names = { "PEEK", "CHARGE", "ACQUIRE_UP_TO" })
    void operationThatNoLimitDelaysDoesNotWaitForTheEnd(OperationKind kind) {
        Policy bucket = obeying("policy", OnRedisFailure.LOCAL, TEN_A_SECOND);
        here.answered(bucket, "29");

        Decision decision = here.limiter.calls
                .decide(List.of(new KeyedCharge(
                        new Charge(here.overrides.forKey(bucket, caller), new PermitRequest(1, kind, 0)), caller)),
                        here.limiter.calls.deadline())
                .await().atMost(SOON).decisions().get(0);

        assertThat(decision.reason()).isEqualTo(kind == OperationKind.CHARGE ? null : DenialReason.PAUSED);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void callOfCodeThatQueuesWaitsForTheEnd(boolean overridden) {
        if (overridden) {
            here.limiter.administration
                    .override(window, caller, Map.of(window.limits().get(0).name(), WINDOW), HOUR, Change.BY_CODE).await()
                    .atMost(SOON);
        }
        long paused = System.nanoTime();
        here.answered(window, "2");

        Decision decision = here.limiter.calls
                .decideOrWait(() -> List
                        .of(new KeyedCharge(new Charge(here.overrides.forKey(window, caller), PermitRequest.of(1)), caller)),
                        Duration.ofSeconds(30), here.limiter.calls.deadline())
                .await().atMost(SOON).decisions().get(0);

        assertThat(decision.allowed()).isTrue();
        assertThat(System.nanoTime() - paused).isGreaterThan(1_990_000_000L);
    }

    @Test
    void pauseEmptiesAllBucketsAndNoOtherLimit() {
        Policy several = obeying("policy", OnRedisFailure.LOCAL, Limit.tokenBucket(10).refill(10, Duration.ofMinutes(1)),
                WINDOW,
                Limit.tokenBucket(1_000).refill(1_000, Duration.ofDays(1)));
        here.acquire(several);
        here.answered(several, "20");
        time.advance(Duration.ofMillis(20_100));
        here.refresh();

        List<Long> remaining = here.limiter.decide(several, caller, PermitRequest.PEEK).decisions().get(0).limits().stream()
                .map(limit -> limit.remaining()).toList();
        assertThat(remaining.get(0)).isLessThan(10);
        assertThat(remaining.get(1)).isEqualTo(9);
        assertThat(remaining.get(2)).isLessThan(2);
    }

    @Test
    @Tag("slow")
    void fourInstancesUseTheQuotaOfAServiceThatPunishesCallsDuringAPause() throws Exception {
        Policy hundred = obeying("policy", OnRedisFailure.LOCAL,
                Limit.tokenBucket(100).refill(100, Duration.ofMinutes(1)).maxWait(Duration.ofMinutes(5)));
        List<Instance> instances = List.of(here, there, new Instance(), new Instance());
        ExecutorService workers = Executors.newCachedThreadPool();
        try (QuotaProvider provider = new QuotaProvider(100, Duration.ofMinutes(1))) {
            for (Instance instance : instances) {
                new Timers(REDIS.vertx).every(Duration.ofMillis(500),
                        () -> instance.overrides.refresh().subscribe().with(seen -> {
                        }));
                for (int worker = 0; worker < 16; worker++) {
                    workers.submit(() -> {
                        while (!Thread.interrupted()) {
                            instance.call(hundred, provider.uri());
                        }
                        return null;
                    });
                }
            }
            await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofSeconds(1)).until(() -> provider.used().size() > 2);

            assertThat(provider.late()).isZero();
            assertThat(provider.used().get(0) + provider.used().get(1)).as(() -> "used by window: " + provider.used())
                    .isGreaterThanOrEqualTo(190);
            assertThat(pauses).hasPositiveValue();
        } finally {
            workers.shutdownNow();
            instances.subList(2, 4).forEach(Instance::close);
        }
    }

    private static Policy obeying(String name, OnRedisFailure failure, Limit... limits) {
        return obeying(name, Mode.ENFORCE, failure, limits);
    }

    private static Policy obeying(String name, Mode mode, OnRedisFailure failure, Limit... limits) {
        return policy(name, failure, mode, Prefetch.NONE, limits);
    }

    private static Policy policy(String name, OnRedisFailure failure, Mode mode, Prefetch prefetch, Limit... limits) {
        List<PolicyLimit> named = StoreRequests.policy(name, limits).limits();
        return new Policy(name, named, null, MissingKey.IP, List.of(), failure, mode, true, PlanTable.NONE, Exemptions.NONE,
                Statuses.ALL, Duration.ZERO, null, prefetch, Duration.ZERO, HOUR);
    }

    private final class Instance {

        final TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        final RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT, time);
        final Overrides overrides = new Overrides(new RedisOverrides(store, "test"), clock);
        final TestLimiter limiter = new TestLimiter(store, new LocalStore(clock), REDIS.vertx, TIMEOUT, System::nanoTime,
                overrides);
        final Pauses pauses = new Pauses(overrides, limiter.buckets, Observers.of(List.of(new DecisionObserver() {

            @Override
            public void decided(String policy, Effect effect, RateLimitDecision decision) {
            }

            @Override
            public void paused(String policy) {
                PausesTest.this.pauses.incrementAndGet();
            }
        })), clock);

        Instance() {
            store.open().toCompletableFuture().join();
        }

        Decision acquire(Policy policy) {
            return Stream.of(limiter.decide(policy, caller, PermitRequest.of(1))).map(Outcome::decisions).findFirst()
                    .orElseThrow().get(0);
        }

        /** When a call is allowed that waits, by {@link System#nanoTime}. */
        CompletableFuture<Long> waiting(Policy policy) {
            return limiter.calls
                    .decide(List.of(new KeyedCharge(new Charge(overrides.forKey(policy, caller), PermitRequest.of(1)), caller)),
                            limiter.calls.deadline())
                    .map(outcome -> {
                        assertThat(outcome.isDenied()).isFalse();
                        return System.nanoTime();
                    }).subscribeAsCompletionStage();
        }

        /** Calls a service when the policy allows it, as clients do. */
        void call(Policy policy, URI service) throws Exception {
            Outcome outcome = limiter.calls
                    .decide(List.of(new KeyedCharge(new Charge(overrides.forKey(policy, caller), PermitRequest.of(1)), caller)),
                            limiter.calls.deadline())
                    .subscribeAsCompletionStage().get();
            if (!outcome.isDenied()) {
                HttpURLConnection answer = (HttpURLConnection) service.toURL().openConnection();
                String retryAfter = answer.getHeaderField("Retry-After");
                pauses.obey(outcome, answer.getResponseCode(),
                        retryAfter == null ? Map.of() : Map.of("Retry-After", List.of(retryAfter))).await().atMost(SOON);
                answer.disconnect();
            }
        }

        Outcome outcome(Policy policy) {
            return new Outcome(List.of(Decision.uncounted(policy, caller, 1, Source.REDIS, null)));
        }

        /** Gets an answer, and waits until Redis knows of it. */
        void answered(Policy policy, String retryAfter) {
            pauses.obey(outcome(policy), 429, Map.of("Retry-After", List.of(retryAfter))).await().atMost(SOON);
        }

        void pauseMany(Policy policy, int keys) {
            Multi.createFrom().items(IntStream.range(0, keys).boxed())
                    .onItem().transformToUni(key -> overrides.pause(policy, "key" + key, HOUR))
                    .merge(100).collect().asList().await().atMost(SOON);
        }

        long paused(Policy policy, int keys) {
            return IntStream.range(0, keys)
                    .filter(key -> !overrides.pausedFor(policy.name(), "key" + key).isZero()).count();
        }

        void refresh() {
            overrides.refresh().onFailure().recoverWithNull().await().atMost(SOON);
        }

        void close() {
            store.close();
            proxy.close();
        }
    }
}
