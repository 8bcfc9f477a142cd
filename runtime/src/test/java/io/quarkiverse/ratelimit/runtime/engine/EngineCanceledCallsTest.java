package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Vertx;

/** A canceled call leaves no permit in use and takes no place among the delayed calls, wherever it was when it was canceled. */
class EngineCanceledCallsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit DELAYS = Limit.tokenBucket(1).refill(1, HOUR).maxWait(HOUR.multipliedBy(9));
    private static final String KEY = "";
    private static final Vertx VERTX = Vertx.vertx();

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore local = new LocalStore(clock::get);
    private final UnreliableStore store = new UnreliableStore(new Remote(local));
    private final CompletableFuture<String> key = new CompletableFuture<>();
    private final Overrides overrides = new Overrides(local.overrides(), clock::get);
    /** Delays one call at a time. */
    private final TestLimiter limiter = new TestLimiter(store, local, VERTX, SOON,
            new BeanResolvers(Map.of("slow", List.of(() -> call -> Uni.createFrom().completionStage(key))), Map.of(), SOON,
                    () -> 0, new Timers(VERTX)),
            1, overrides, Observers.of(List.of()));

    @AfterAll
    static void close() {
        VERTX.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void whileABeanResolvesItsKey() {
        Cancellable call = begin(decide(policy("bean:slow", DELAYS)));

        call.cancel();
        key.complete("alice");

        assertThat(store.requests()).isZero();
        assertThat(permits(policy("bean:slow", DELAYS), "bean:slow=alice")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void whileItsRequestIsSent(boolean code) {
        Policy policy = policy("global", DELAYS);
        store.delay();
        Cancellable call = begin(code ? ofCode(policy) : decide(policy));
        assertThat(store.requests()).isEqualTo(1);

        call.cancel();
        store.reply();

        await().atMost(SOON).until(() -> permits(policy, KEY) == 1);
        assertPlaceIsFree();
    }

    @Test
    void whileItsRequestIsSentAndItHoldsAPermit() {
        Policy policy = policy("global", Limit.concurrency(1));
        store.delay();
        Cancellable call = begin(decide(policy));

        call.cancel();
        store.reply();

        // at once: a lease that nobody confirms ends after some time in any case
        assertThat(permits(policy, KEY)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void whileItIsDelayed(boolean code) {
        Policy policy = policy("global", DELAYS);
        allowOne(policy);
        Cancellable call = begin(code ? ofCode(policy) : decide(policy));
        assertThat(wait(policy)).isEqualTo(HOUR.multipliedBy(2));

        call.cancel();

        await().atMost(SOON).until(() -> wait(policy).equals(HOUR));
        assertPlaceIsFree();
    }

    @Test
    void whileItWaitsInAQueue() {
        Policy policy = policy("global", Limit.fixedWindow(1, HOUR));
        allowOne(policy);
        Cancellable call = begin(ofCode(policy));
        int attempts = store.requests();
        assertThat(attempts).isEqualTo(2);

        call.cancel();
        clock.addAndGet(HOUR.toMillis() * 1_000);

        assertThat(permits(policy, KEY)).isEqualTo(1);
        assertPlaceIsFree();
    }

    @Test
    void whileItsAttemptFromAQueueIsSent() {
        Policy policy = policy("global", Limit.fixedWindow(1, HOUR));
        store.delay();
        Cancellable call = begin(ofCode(policy));
        assertThat(store.requests()).isEqualTo(1);

        call.cancel();
        store.reply();

        await().atMost(SOON).until(() -> permits(policy, KEY) == 1);
        assertPlaceIsFree();
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void whileItsKeyIsPaused(boolean code) {
        Policy policy = policy("global", DELAYS);
        overrides.pause(policy, KEY, HOUR).await().atMost(SOON);
        Cancellable call = begin(code ? ofCode(policy) : decide(policy));
        assertThat(store.requests()).isZero();

        call.cancel();
        overrides.unblock(policy, KEY).await().atMost(SOON);

        assertThat(permits(policy, KEY)).isEqualTo(1);
        assertPlaceIsFree();
    }

    /** With no place left, a call that would have to wait is denied. */
    private void assertPlaceIsFree() {
        Policy other = policy("other", "global", DELAYS);
        allowOne(other);
        CompletableFuture<Outcome> waits = ofCode(other).subscribeAsCompletionStage();
        assertThat(wait(other)).as("of a call behind it").isEqualTo(HOUR.multipliedBy(2));
        assertThat(waits).as("is not denied").isNotDone();
        waits.cancel(true);
    }

    private void allowOne(Policy policy) {
        assertThat(limiter.decide(policy.withMaxWait(Duration.ZERO), KEY, PermitRequest.of(1)).isDenied()).isFalse();
    }

    private static Cancellable begin(Uni<Outcome> call) {
        return call.subscribe().with(outcome -> {
        });
    }

    private Uni<Outcome> decide(Policy policy) {
        CallRules rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.of(1))));
        return limiter.engine.decide(rules, Caller.UNKNOWN, List.of());
    }

    private Uni<Outcome> ofCode(Policy policy) {
        return limiter.calls.decideOrWait(() -> List.of(new KeyedCharge(new Charge(policy, PermitRequest.of(1)), KEY)),
                HOUR.multipliedBy(9), limiter.calls.deadline());
    }

    private long permits(Policy policy, String stored) {
        return peek(policy, stored).remaining();
    }

    /** How long a call would wait. */
    private Duration wait(Policy policy) {
        return peek(policy, KEY).retryAfter();
    }

    private Decision peek(Policy policy, String stored) {
        return limiter.decide(policy.withMaxWait(Duration.ZERO), stored, PermitRequest.PEEK).decisions().get(0);
    }

    private static Policy policy(String key, Limit limit) {
        return policy("canceled", key, limit);
    }

    private static Policy policy(String name, String key, Limit limit) {
        return new Policy(name, StoreRequests.policy("", limit).limits(), KeyParser.parse(key, null), MissingKey.SHARED,
                List.of(), OnRedisFailure.LOCAL, Mode.ENFORCE, true, PlanTable.NONE, Exemptions.NONE, Statuses.ALL,
                Duration.ZERO, null, Prefetch.NONE, Duration.ZERO, HOUR);
    }

    /** Counts a request when it is sent, as Redis does, also if its reply is no longer wanted. */
    private record Remote(LocalStore store) implements LimitStore {

        @Override
        public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
            return decide(request);
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request) {
            return Uni.createFrom().item(store.decide(request).await().indefinitely());
        }
    }
}
