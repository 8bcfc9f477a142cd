package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.chain;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
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

/** A policy and its overflows without Redis. */
class FallbackOverflowTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);
    private final Fallback fallback = new Fallback(store, 1, null, FailureLog.ofMistakes());
    private final KeyedCharge counting = charge("counting", OnRedisFailure.LOCAL, 1);
    private final KeyedCharge spare = charge("spare", OnRedisFailure.LOCAL, 1);
    private final KeyedCharge allowing = charge("allowing", OnRedisFailure.ALLOW, 1);
    private final KeyedCharge denying = charge("denying", OnRedisFailure.DENY, 1);
    private long calls;

    @Test
    void countsInTheMemoryOfThisInstance() {
        assertThat(told(chain(counting, spare)).policy()).isEqualTo("counting");
        Decision overflowed = told(chain(counting, spare));
        assertThat(overflowed.policy()).isEqualTo("spare");
        assertThat(overflowed.source()).isEqualTo(Source.FALLBACK);
        assertThat(overflowed.limits()).extracting(LimitState::policy).containsExactly("counting", "spare");

        assertThat(told(chain(counting, spare)).allowed()).isFalse();
    }

    @Test
    void aFirstPolicyThatCannotBeDecidedAsksNoOverflow() {
        assertThat(decide(chain(denying, spare)).newDenial()).isInstanceOf(RateLimitUnavailableException.class);

        assertThat(told(spare).allowed()).as("not charged").isTrue();
    }

    @Test
    void aFirstPolicyThatAllowsLetsNobodyPay() {
        assertThat(told(chain(allowing, spare)).policy()).isEqualTo("allowing");

        assertThat(told(spare).allowed()).as("not charged").isTrue();
    }

    @Test
    void anOverflowThatCannotBeDecidedDeniesWithoutAWait() {
        told(counting);

        Decision denied = told(chain(counting, denying));
        assertThat(denied.policy()).isEqualTo("counting");
        assertThat(denied.retryAfter()).isEqualTo(DAY);
        assertThat(denied.denialReason()).contains(DenialReason.LIMIT_REACHED);
        assertThat(denied.asked()).extracting(Decision::policy).containsExactly("counting", "denying");

        assertThat(told(chain(counting, denying, spare)).policy()).as("its own overflow is asked").isEqualTo("spare");
    }

    @Test
    void anOverflowThatAllowsLetsNobodyPay() {
        told(counting);

        Decision allowed = told(chain(counting, allowing, spare));
        assertThat(allowed.policy()).isEqualTo("allowing");
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.source()).isEqualTo(Source.FALLBACK);

        assertThat(told(spare).allowed()).as("not charged").isTrue();
    }

    @Test
    void aCostAboveTheShareOfThisInstanceCannotBeDecided() {
        Fallback divided = new Fallback(store, 4, null, FailureLog.ofMistakes());
        KeyedCharge eight = charge("eight", OnRedisFailure.LOCAL, 8).with(new Charge(
                charge("eight", OnRedisFailure.LOCAL, 8).policy(), PermitRequest.of(3)));

        assertThat(divided.recover(call(chain(eight, spare)), RedisStoreException.full()).newDenial())
                .isInstanceOf(RateLimitUnavailableException.class);
        told(counting);
        Decision denied = divided.recover(call(chain(counting, eight)), RedisStoreException.full()).decisions().get(0);
        assertThat(denied.policy()).isEqualTo("counting");
        assertThat(denied.allowed()).isFalse();
    }

    private Decision told(KeyedCharge... charges) {
        return decide(charges).decisions().get(0);
    }

    private Outcome decide(KeyedCharge... charges) {
        return fallback.recover(call(charges), RedisStoreException.full());
    }

    private Call call(KeyedCharge... charges) {
        return new Call(++calls, List.of(charges), null);
    }

    private static KeyedCharge charge(String name, OnRedisFailure onRedisFailure, long permits) {
        Policy policy = new Policy(name, List.of(new PolicyLimit("default", Limit.slidingLog(permits, DAY))), null,
                MissingKey.IP, onRedisFailure, Mode.ENFORCE, true);
        return new KeyedCharge(new Charge(policy, PermitRequest.of(1)), "caller");
    }
}
