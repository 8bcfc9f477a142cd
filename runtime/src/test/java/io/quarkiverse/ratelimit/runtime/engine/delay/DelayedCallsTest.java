package io.quarkiverse.ratelimit.runtime.engine.delay;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.smallrye.mutiny.Uni;

class DelayedCallsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration STEP = Duration.ofMillis(200);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int CALLS = 30;
    private static final int MAX_DELAYED = 2;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    /** On several connections, the reply that Redis has sent last may arrive first. */
    @Test
    void callsThatFindNoPlaceDoNotPushOthersBack() {
        Limit paced = Limit.tokenBucket(1).refill(1, STEP).maxWait(Duration.ofMinutes(1));
        Charge charge = new Charge(policy("paced", paced), PermitRequest.of(1));
        try (RedisStore store = REDIS.newStore(SOON)) {
            store.open().toCompletableFuture().join();
            LastReplyFirst reversed = new LastReplyFirst(store, new CopyOnWriteArrayList<>(), new AtomicBoolean());
            CodeCalls calls = new TestLimiter(reversed, new LocalStore(() -> 0), REDIS.vertx, SOON,
                    new DenialCache(System::nanoTime), TestLimiter.noBeans(REDIS.vertx), MAX_DELAYED, 1).calls;

            List<CompletableFuture<Outcome>> decided = Stream
                    .generate(() -> calls.decide(List.of(new KeyedCharge(charge, "caller")), calls.deadline())
                            .subscribeAsCompletionStage())
                    .limit(CALLS).toList();
            await().atMost(SOON).until(() -> reversed.replies.size() == CALLS);
            reversed.release();

            List<Duration> delays = decided.stream().map(call -> call.join().delay()).filter(delay -> !delay.isZero()).toList();
            assertThat(delays).isNotEmpty().allMatch(delay -> delay.compareTo(STEP.multipliedBy(MAX_DELAYED)) <= 0);
        }
    }

    @Test
    void denialOfAPolicyInShadowModeCountsOncePerCall() {
        Limit paced = Limit.tokenBucket(1).refill(1, STEP);

        assertThat(reasonsInShadow(paced.maxWait(DAY))).isEqualTo(reasonsInShadow(Limit.tokenBucket(10).refill(1, STEP)))
                .contains(DenialReason.LIMIT_REACHED, DenialReason.BLOCKED);
    }

    /** Returns why a policy in shadow mode would deny the first calls. Its penalty blocks after some denials. */
    private static List<DenialReason> reasonsInShadow(Limit enforced) {
        LocalStore store = new LocalStore(() -> 0);
        CodeCalls calls = new TestLimiter(store, store, REDIS.vertx, SOON, new DenialCache(System::nanoTime),
                TestLimiter.noBeans(REDIS.vertx), MAX_DELAYED, 1).calls;
        Charge charge = new Charge(policy("enforced", enforced), PermitRequest.of(1));
        Charge shadow = new Charge(policy("shadow", Mode.SHADOW, Limit.fixedWindow(1, DAY))
                .withPenalty(new Penalty(4, DAY, DAY, DAY)), PermitRequest.of(1));
        List<DenialReason> reasons = new ArrayList<>();
        for (long id = 1; id <= 6; id++) {
            List<KeyedCharge> charges = List.of(new KeyedCharge(charge, "caller"), new KeyedCharge(shadow, "caller"));
            reasons.add(calls.engine().full().decide(new Call(id, charges, calls.deadline())).await().atMost(SOON)
                    .shadows().get(0).reason());
        }
        return reasons;
    }

    private record LastReplyFirst(LimitStore store, List<Runnable> replies, AtomicBoolean released) implements LimitStore {

        void release() {
            released.set(true);
            for (int i = replies.size() - 1; i >= 0; i--) {
                replies.get(i).run();
            }
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
            return released.get() ? store.decide(request, deadline)
                    : Uni.createFrom().emitter(call -> store.decide(request, deadline).subscribe()
                            .with(reply -> replies.add(() -> call.complete(reply)), call::fail));
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request) {
            return store.decide(request);
        }
    }
}
