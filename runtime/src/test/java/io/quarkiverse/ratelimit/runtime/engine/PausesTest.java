package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
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
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.redis.RealRedis;
import io.quarkiverse.ratelimit.runtime.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.redis.TcpProxy;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequests;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;
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
    private final LongSupplier ids = new AtomicLong(1_000_000)::incrementAndGet;
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
        there.limiter.administration.block(window, caller, HOUR).await().atMost(SOON);
        here.answered(window, "30");

        assertThat(here.acquire(window)).returns(DenialReason.BLOCKED, Decision::reason);
        assertThat(here.acquire(window).retryAfter()).isGreaterThan(Duration.ofMinutes(59));
    }

    @Test
    void shorterBlockOfAnOperatorIsExtended() {
        there.limiter.administration.block(window, caller, Duration.ofSeconds(30)).await().atMost(SOON);
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

    @ParameterizedTest
    @ValueSource(longs = { 7, 3_600, 100_000 })
    void pausesEndAtTenthsOfASecondAndAreNotLongerThanAllowed(long seconds) {
        long now = 1_795_377_231_412_345L;
        Overrides overrides = new Overrides(new LocalStore(() -> now).overrides(), () -> now);
        Pauses pauses = new Pauses(overrides, here.store, Observers.of(List.of()), ids, () -> now);
        pauses.obey(here.outcome(window), 429, String.valueOf(seconds), null).await().atMost(SOON);

        Duration pause = overrides.pausedFor("policy", caller);
        assertThat((now + LimitUsage.micros(pause)) % 100_000).isZero();
        assertThat(pause).isLessThanOrEqualTo(HOUR)
                .isGreaterThan(Duration.ofSeconds(Math.min(seconds, 3_600)).minusMillis(100));
    }

    @Test
    void pausesOfThisInstanceAreBoundedAndMakeRoomWhenTheyEnd() {
        AtomicLong now = new AtomicLong(1_795_377_231_412_345L);
        Overrides overrides = new Overrides(OverrideStore.NONE, now::get);
        for (int key = 0; key <= OverrideStore.MAX_TEXTS; key++) {
            overrides.pause(window, "key" + key, HOUR);
        }
        assertThat(overrides.pausedFor("policy", "key" + (OverrideStore.MAX_TEXTS - 1))).isEqualTo(HOUR);
        assertThat(overrides.pausedFor("policy", "key" + OverrideStore.MAX_TEXTS)).isZero();

        now.addAndGet(LimitUsage.micros(HOUR));
        overrides.pause(window, "later", HOUR);
        assertThat(overrides.pausedFor("policy", "later")).isEqualTo(HOUR);
    }

    /** Reading takes longer the more overrides there are, and many keys may be paused at once. */
    @Test
    void storeIsReadAfterAPauseOnlyIfItHasALongerOne() {
        AtomicLong reads = new AtomicLong();
        OverrideStore stored = new LocalStore(clock).overrides();
        Overrides overrides = new Overrides(new OverrideStore() {

            @Override
            public Uni<Void> put(String name, String text, Duration ttl) {
                return stored.put(name, text, ttl);
            }

            @Override
            public Uni<Duration> pause(String name, Duration ttl) {
                return stored.pause(name, ttl);
            }

            @Override
            public Uni<Void> remove(String name) {
                return stored.remove(name);
            }

            @Override
            public Uni<Versioned> changedSince(String known) {
                reads.incrementAndGet();
                return stored.changedSince(known);
            }
        }, clock);
        for (String key : List.of("alice", "bob", "carol")) {
            overrides.pause(window, key, Duration.ofSeconds(30)).await().atMost(SOON);
            assertThat(overrides.pausedFor("policy", key)).isPositive();
        }
        assertThat(reads).hasValue(0);

        new Overrides(stored, clock).pause(window, "dave", HOUR).await().atMost(SOON);
        overrides.pause(window, "dave", Duration.ofSeconds(30)).await().atMost(SOON);
        assertThat(reads).hasValue(1);
        assertThat(overrides.pausedFor("policy", "dave")).isGreaterThan(Duration.ofMinutes(59));
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
        here.answered(bucket, "20");

        Decision decision = here.limiter.calls
                .decide(new Charge(here.overrides.forKey(bucket, caller), new PermitRequest(1, kind, 0)), caller,
                        here.limiter.calls.deadline())
                .await().atMost(TIMEOUT).decisions().get(0);

        assertThat(decision.reason()).isEqualTo(kind == OperationKind.CHARGE ? null : DenialReason.PAUSED);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void callOfCodeThatQueuesWaitsForTheEnd(boolean overridden) {
        if (overridden) {
            here.limiter.administration.override(window, caller, Map.of(window.limits().get(0).name(), WINDOW), HOUR).await()
                    .atMost(SOON);
        }
        long paused = System.nanoTime();
        here.answered(window, "2");

        Decision decision = here.limiter.calls
                .decide(() -> new Charge(here.overrides.forKey(window, caller), PermitRequest.of(1)), caller,
                        Duration.ofSeconds(30), here.limiter.calls.deadline())
                .await().atMost(SOON).decisions().get(0);

        assertThat(decision.allowed()).isTrue();
        assertThat(System.nanoTime() - paused).isGreaterThan(1_990_000_000L);
    }

    @Test
    void pauseEmptiesTheFastestBucketThatDelaysAndNoOtherLimit() {
        Policy several = obeying("policy", OnRedisFailure.LOCAL, TEN_A_SECOND, WINDOW,
                Limit.tokenBucket(1_000).refill(1_000, Duration.ofDays(1)).maxWait(Duration.ofSeconds(30)));
        here.acquire(several);
        here.answered(several, "20");
        time.advance(Duration.ofMillis(20_100));
        here.refresh();

        List<Long> remaining = here.limiter.decide(several, caller, PermitRequest.PEEK).decisions().get(0).limits().stream()
                .map(limit -> limit.remaining()).toList();
        assertThat(remaining.get(0)).isLessThan(10);
        assertThat(remaining.get(1)).isEqualTo(9);
        assertThat(remaining.get(2)).isGreaterThan(998);
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
                Statuses.ALL, Duration.ZERO, null, prefetch, RetryAfter.EARLIEST, HOUR);
    }

    private final class Instance {

        final TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        final RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT, time);
        final Overrides overrides = new Overrides(new RedisOverrides(store, "test"), clock);
        final TestLimiter limiter = new TestLimiter(store, new LocalStore(clock), REDIS.vertx, TIMEOUT, System::nanoTime,
                overrides);
        final Pauses pauses = new Pauses(overrides, store, Observers.of(List.of(new DecisionObserver() {

            @Override
            public void decided(String policy, Effect effect, RateLimitDecision decision) {
            }

            @Override
            public void paused(String policy) {
                PausesTest.this.pauses.incrementAndGet();
            }
        })), ids, clock);

        Instance() {
            store.open().toCompletableFuture().join();
        }

        Decision acquire(Policy policy) {
            return Stream.of(limiter.decide(policy, caller, PermitRequest.of(1))).map(Outcome::decisions).findFirst()
                    .orElseThrow().get(0);
        }

        /** When a call is allowed that waits, by {@link System#nanoTime}. */
        CompletableFuture<Long> waiting(Policy policy) {
            return limiter.calls.decide(new Charge(overrides.forKey(policy, caller), PermitRequest.of(1)), caller,
                    limiter.calls.deadline()).map(outcome -> {
                        assertThat(outcome.isDenied()).isFalse();
                        return System.nanoTime();
                    }).subscribeAsCompletionStage();
        }

        /** Calls a service when the policy allows it, as clients do. */
        void call(Policy policy, URI service) throws Exception {
            Outcome outcome = limiter.calls
                    .decide(new Charge(overrides.forKey(policy, caller), PermitRequest.of(1)), caller,
                            limiter.calls.deadline())
                    .subscribeAsCompletionStage().get();
            if (!outcome.isDenied()) {
                HttpURLConnection answer = (HttpURLConnection) service.toURL().openConnection();
                pauses.obey(outcome, answer.getResponseCode(), answer.getHeaderField("Retry-After"),
                        answer.getHeaderField("Date")).await().atMost(SOON);
                answer.disconnect();
            }
        }

        Outcome outcome(Policy policy) {
            return new Outcome(List.of(Decision.uncounted(policy, caller, 1, Source.REDIS, null)));
        }

        /** Gets an answer, and waits until Redis knows of it. */
        void answered(Policy policy, String retryAfter) {
            pauses.obey(outcome(policy), 429, retryAfter, null).await().atMost(SOON);
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
