package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;

/** Policies of one call that differ in what they do without Redis. */
class FallbackTest {

    private static final Limit ONE_A_DAY = Limit.tokenBucket(1).refill(1, Duration.ofDays(1));

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);
    private final Fallback fallback = new Fallback(store, 1, null, FailureLog.ofMistakes());
    private final Charge counting = charge("counting", OnRedisFailure.LOCAL);
    private final Charge allowing = charge("allowing", OnRedisFailure.ALLOW);
    private final Charge denying = charge("denying", OnRedisFailure.DENY);

    @Test
    void allowedCallHasTheDecisionsOfThePolicyThatAllowsAndOfTheOneThatCounts() {
        Outcome outcome = decide(call(1, counting, allowing));

        assertThat(outcome.newDenial()).isNull();
        assertThat(outcome.decisions()).extracting(Decision::policy)
                .containsExactlyInAnyOrder("counting", "allowing");
    }

    @Test
    void thePolicyThatCountsDeniesBesideOneThatAllows() {
        decide(call(1, counting, allowing));

        assertThat(decide(call(2, counting, allowing)).newDenial().decision().policy())
                .isEqualTo("counting");
    }

    @Test
    void aPolicyThatDeniesChargesNoOther() {
        Outcome outcome = decide(call(1, counting, allowing, denying));

        assertThat(outcome.newDenial()).isInstanceOf(RateLimitUnavailableException.class);
        assertThat(decide(call(2, counting)).newDenial()).isNull();
    }

    private static Call call(long id, Charge... charges) {
        return new Call(id, Stream.of(charges).map(charge -> new KeyedCharge(charge, "caller")).toList(), null);
    }

    private Outcome decide(Call call) {
        return fallback.recover(call, RedisStoreException.full());
    }

    private static Charge charge(String name, OnRedisFailure onRedisFailure) {
        Policy policy = new Policy(name, List.of(new PolicyLimit("default", ONE_A_DAY)), null, MissingKey.IP,
                onRedisFailure, Mode.ENFORCE, true);
        return new Charge(policy, PermitRequest.of(1));
    }
}
