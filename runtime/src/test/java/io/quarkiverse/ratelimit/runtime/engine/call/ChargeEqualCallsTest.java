package io.quarkiverse.ratelimit.runtime.engine.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/**
 * Calls of one rule send equal requests, which a batch merges, and requests of other callers with the same operations, whose
 * arguments a batch sends once. Plans and overrides for all callers do not change that.
 */
class ChargeEqualCallsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Vertx VERTX = Vertx.vertx();
    private static final Limit SECOND = Limit.fixedWindow(1_000, Duration.ofHours(1));

    private final List<StoreRequest> sent = new CopyOnWriteArrayList<>();
    private final AtomicReference<String> caller = new AtomicReference<>();
    private final AtomicReference<String> plan = new AtomicReference<>();
    private final LocalStore local = new LocalStore(() -> 1_763_640_000_000_000L);
    private final Overrides overrides = new Overrides(local.overrides(), () -> 0);
    private final TestLimiter limiter = new TestLimiter(new Recording(), local, VERTX, SOON,
            new BeanResolvers(Map.of("caller", List.of(() -> call -> Uni.createFrom().item(caller.get()))),
                    Map.of("plan", List.of(() -> call -> Uni.createFrom().item(
                            plan.get() == null ? null : RateLimitPlan.named(plan.get())))),
                    SOON, () -> 0, new Timers(VERTX)),
            100, overrides, Observers.of(List.of()));
    private final Policy policy = new Policy("equal", StoreRequests.policy("", bucket(10), SECOND).limits(),
            KeyParser.parse("bean:caller", null), MissingKey.DENY, List.of(), OnRedisFailure.LOCAL, Mode.ENFORCE, true,
            new PlanTable(PlanSource.BEAN, "plan", Duration.ZERO, null,
                    List.of(new Plan("gold", false, Map.of("l0", bucket(20))), new Plan("silver", false,
                            Map.of("l0", bucket(15))))),
            Exemptions.NONE, Statuses.ALL, Duration.ZERO, null, Prefetch.NONE, Duration.ZERO, Duration.ZERO);
    private final CallRules rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.of(1))));

    /** What determines the limits of a call. */
    private enum Limits {
        OF_POLICY(null, false, 10),
        OF_PLAN("gold", false, 20),
        OF_OVERRIDE(null, true, 30),
        OF_PLAN_AND_OVERRIDE("gold", true, 20);

        private final String plan;
        private final boolean overridden;
        private final long permits;

        Limits(String plan, boolean overridden, long permits) {
            this.plan = plan;
            this.overridden = overridden;
            this.permits = permits;
        }
    }

    @AfterAll
    static void close() {
        VERTX.close().toCompletionStage().toCompletableFuture().join();
    }

    @ParameterizedTest
    @EnumSource
    void ofOneCallerAreEqualRequests(Limits limits) {
        override(limits);

        StoreRequest first = request("alice", limits), second = request("alice", limits);

        assertThat(first).isEqualTo(second).hasSameHashCodeAs(second);
        assertThat(first.hasOperationsOf(second)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void ofSeveralCallersShareTheirOperations(Limits limits) {
        override(limits);

        StoreRequest first = request("alice", limits), second = request("bob", limits);

        assertThat(first).isNotEqualTo(second);
        assertThat(first.hasOperationsOf(second)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void shareTheirOperationsAlsoAfterCallsUnderAnotherPlan(Limits limits) {
        override(limits);
        StoreRequest first = request("alice", limits);
        plan.set("silver");
        send("carol");

        assertThat(request("bob", limits).hasOperationsOf(first)).isTrue();
    }

    private void override(Limits limits) {
        if (limits.overridden) {
            overrides.put(policy, "", Map.of("l0", bucket(30)), Duration.ofHours(1), Change.BY_CODE).await().atMost(SOON);
        }
    }

    private StoreRequest request(String name, Limits limits) {
        plan.set(limits.plan);
        assertThat(send(name).decisions().get(0).appliedPolicy().limits().get(0).limit()).isEqualTo(bucket(limits.permits));
        return sent.get(sent.size() - 1);
    }

    private Outcome send(String name) {
        caller.set(name);
        return limiter.engine.decide(rules, Caller.UNKNOWN, List.of()).await().atMost(SOON);
    }

    private static Limit bucket(long permits) {
        return Limit.tokenBucket(permits).refill(permits, Duration.ofHours(1));
    }

    private final class Recording implements LimitStore {

        @Override
        public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
            return decide(request);
        }

        @Override
        public Uni<StoreReply> decide(StoreRequest request) {
            sent.add(request);
            return local.decide(request);
        }
    }
}
