package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.MistakeLog;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.vertx.core.Vertx;

/** Policies of one call that differ in what they do without Redis. */
class FallbackTest {

    private static final Limit ONE_A_DAY = Limit.tokenBucket(1).refill(1, Duration.ofDays(1));

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);
    private final Fallback fallback = new Fallback(store,
            new LeaseRenewal(new Timers(vertx), store, store, new MistakeLog(System::nanoTime)), 1);
    private final PolicyRequest counting = requested("counting", OnRedisFailure.LOCAL);
    private final PolicyRequest allowing = requested("allowing", OnRedisFailure.ALLOW);
    private final PolicyRequest denying = requested("denying", OnRedisFailure.DENY);

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void allowedCallHasTheDecisionsOfThePolicyThatAllowsAndOfTheOneThatCounts() {
        Outcome outcome = fallback.decide(new StoreRequest(List.of(counting, allowing), 1));

        assertThat(outcome.denial()).isNull();
        assertThat(outcome.decisions()).extracting(Decision::policy)
                .containsExactlyInAnyOrder("counting", "allowing");
    }

    @Test
    void thePolicyThatCountsDeniesBesideOneThatAllows() {
        fallback.decide(new StoreRequest(List.of(counting, allowing), 1));

        assertThat(fallback.decide(new StoreRequest(List.of(counting, allowing), 2)).denial().decision().policy())
                .isEqualTo("counting");
    }

    @Test
    void aPolicyThatDeniesChargesNoOther() {
        Outcome outcome = fallback.decide(new StoreRequest(List.of(counting, allowing, denying), 1));

        assertThat(outcome.denial()).isInstanceOf(RateLimitUnavailableException.class);
        assertThat(fallback.decide(new StoreRequest(List.of(counting), 2)).denial()).isNull();
    }

    private static PolicyRequest requested(String name, OnRedisFailure onRedisFailure) {
        Policy policy = new Policy(name, List.of(new PolicyLimit("default", ONE_A_DAY)), null, MissingKey.IP,
                onRedisFailure, Mode.ENFORCE, true);
        return new Charge(policy, PermitRequest.of(1)).request("caller", 1);
    }
}
