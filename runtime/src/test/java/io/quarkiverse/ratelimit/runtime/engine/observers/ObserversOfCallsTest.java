package io.quarkiverse.ratelimit.runtime.engine.observers;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalOverrides;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/**
 * A call gets its own observers once: on its thread, with its context, and before beans resolve its key. They are notified
 * once,
 * also when another thread decides the call.
 */
class ObserversOfCallsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit ONE = Limit.tokenBucket(1).refill(1, HOUR);
    private static final Vertx VERTX = Vertx.vertx();
    /** Such as the current span. */
    private static final ThreadLocal<String> CONTEXT = new ThreadLocal<>();

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore local = new LocalStore(clock::get);
    private final UnreliableStore store = new UnreliableStore(local);
    private final CompletableFuture<String> key = new CompletableFuture<>();
    private final TestLimiter limiter = new TestLimiter(store, local, VERTX, SOON,
            new BeanResolvers(Map.of("slow", List.of(() -> call -> {
                events.add("key");
                return Uni.createFrom().completionStage(key);
            })), Map.of(), SOON, () -> 0, new Timers(VERTX)), 100, new Overrides(LocalOverrides.none(), () -> 0),
            Observers.of(List.of(new OfContext())));

    @BeforeEach
    void begin() {
        CONTEXT.set("mine");
    }

    @AfterEach
    void end() {
        CONTEXT.remove();
    }

    @AfterAll
    static void close() {
        VERTX.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void areMadeBeforeBeansResolveTheKeyThoughAnotherThreadDecides() {
        CompletableFuture<Outcome> outcome = decide(policy("bean:slow", MissingKey.DENY, ONE));
        assertThat(events).containsExactly("made in mine", "key");

        onAnotherThread(() -> key.complete("alice"));

        assertThat(outcome).succeedsWithin(SOON).returns(false, Outcome::isDenied);
        assertThat(events).containsExactly("made in mine", "key", "ALLOWED for mine");
    }

    @Test
    void areMadeWhenTheCallBeginsThoughTheReplyComesLater() {
        store.delay();
        CompletableFuture<Outcome> outcome = decide(policy("global", MissingKey.DENY, ONE));
        assertThat(events).containsExactly("made in mine");

        onAnotherThread(store::reply);

        assertThat(outcome).succeedsWithin(SOON);
        assertThat(events).containsExactly("made in mine", "ALLOWED for mine");
    }

    @Test
    void areNotifiedOfADenialThatNoStoreDecides() {
        CompletableFuture<Outcome> outcome = decide(policy("bean:slow", MissingKey.DENY, ONE));

        onAnotherThread(() -> key.complete(null));

        assertThat(outcome).succeedsWithin(SOON).returns(true, Outcome::isDenied);
        assertThat(store.requests()).isZero();
        assertThat(events).containsExactly("made in mine", "key", "DENIED for mine");
    }

    @Test
    void areNotifiedOfADenialThatTheDenialCacheRepeats() {
        Policy policy = policy("global", MissingKey.DENY, ONE);
        for (int call = 1; call <= 3; call++) {
            assertThat(decide(policy)).succeedsWithin(SOON);
        }

        assertThat(store.requests()).isEqualTo(2);
        assertThat(events).containsExactly("made in mine", "ALLOWED for mine", "made in mine", "DENIED for mine",
                "made in mine", "DENIED for mine");
    }

    @Test
    void areNotifiedOfADelayedCallWhenItProceeds() {
        Policy delayed = policy("global", MissingKey.DENY,
                Limit.tokenBucket(1).refill(1, Duration.ofSeconds(1)).maxWait(HOUR));
        assertThat(decide(delayed)).succeedsWithin(SOON);
        events.clear();

        CompletableFuture<Outcome> outcome = decide(delayed);
        assertThat(events).containsExactly("made in mine");

        assertThat(outcome).succeedsWithin(SOON);
        assertThat(events).containsExactly("made in mine", "ALLOWED for mine");
    }

    @Test
    void ofACallOfCodeAreMadeOnItsThreadAndNotifiedOnce() {
        Charge charge = new Charge(StoreRequests.policy("code", ONE), PermitRequest.of(1));

        assertThat(
                limiter.calls.decide(List.of(new KeyedCharge(charge, "alice")), limiter.calls.deadline()).await().atMost(SOON))
                .isNotNull();

        assertThat(events).containsExactly("made in mine", "ALLOWED for mine");
    }

    @Test
    void ofACallThatQueuesAreNotifiedOfTheLastAttemptOnly() {
        Charge charge = new Charge(StoreRequests.policy("queue", Limit.fixedWindow(1, HOUR)), PermitRequest.of(1));
        limiter.calls.decide(List.of(new KeyedCharge(charge, "alice")), limiter.calls.deadline()).await().atMost(SOON);
        int before = store.requests();
        events.clear();

        CompletableFuture<Outcome> outcome = limiter.calls.decideOrWait(() -> {
            // the first attempt is denied, and the second one is made in the next window
            clock.addAndGet(store.requests() == before ? 0 : HOUR.toMillis() * 1_000);
            return List.of(new KeyedCharge(charge, "alice"));
        }, HOUR.multipliedBy(2), limiter.calls.deadline()).subscribeAsCompletionStage();

        assertThat(outcome).succeedsWithin(SOON).returns(false, Outcome::isDenied);
        assertThat(store.requests()).isGreaterThan(before + 1);
        assertThat(events).containsExactly("made in mine", "ALLOWED for mine");
    }

    @Test
    void ofAPeekAreNotMade() {
        Charge peek = new Charge(StoreRequests.policy("code", ONE), PermitRequest.PEEK);

        limiter.calls.decideQuietly(List.of(new KeyedCharge(peek, "alice")), limiter.calls.deadline()).await().atMost(SOON);

        assertThat(events).isEmpty();
    }

    private CompletableFuture<Outcome> decide(Policy policy) {
        CallRules rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.of(1))));
        return limiter.engine.decide(rules, Caller.UNKNOWN, List.of()).subscribeAsCompletionStage();
    }

    private static Policy policy(String key, MissingKey missing, Limit limit) {
        return new Policy("observed", StoreRequests.policy("", limit).limits(), KeyParser.parse(key, null), missing, List.of(),
                OnRedisFailure.LOCAL, Mode.ENFORCE, true, PlanTable.NONE, Exemptions.NONE, Statuses.ALL, HOUR, null,
                Prefetch.NONE, Duration.ZERO, Duration.ZERO);
    }

    private static void onAnotherThread(Runnable task) {
        CompletableFuture.runAsync(task).join();
    }

    private final class OfContext implements DecisionObserver.OfCalls {

        @Override
        public DecisionObserver ofThisCall() {
            String context = CONTEXT.get();
            events.add("made in " + context);
            return (policy, effect, decision) -> events.add(effect + " for " + context);
        }

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            events.add(effect + " for no call");
        }
    }
}
