package io.quarkiverse.ratelimit.runtime.engine.call;

import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.chain;
import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.request;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;

/** What a call of a policy and its overflows is told. */
class OverflowReplyTest {

    private static final Duration SECOND = Duration.ofSeconds(1), MINUTE = Duration.ofMinutes(1), HOUR = Duration.ofHours(1);
    private static final PermitRequest ONE = PermitRequest.of(1);

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final Decider store = Steps.inStore(new LocalStore(clock::get), Source.MEMORY);
    private final Policy minimum = policy("minimum", Limit.slidingLog(2, HOUR));
    private final Policy pool = policy("pool", Limit.slidingLog(3, MINUTE));
    private long calls;

    @Test
    void theFirstThatAllowsPays() {
        for (long remaining : new long[] { 1, 0 }) {
            Decision byMinimum = only(decide(chain(of(minimum), of(pool))));
            assertThat(byMinimum.policy()).isEqualTo("minimum");
            assertThat(byMinimum.remaining()).isEqualTo(remaining);
            assertThat(byMinimum.limits()).extracting(LimitState::policy).containsExactly("minimum");
        }
        for (long remaining : new long[] { 2, 1, 0 }) {
            Decision byPool = only(decide(chain(of(minimum), of(pool))));
            assertThat(byPool.allowed()).isTrue();
            assertThat(byPool.policy()).isEqualTo("pool");
            assertThat(byPool.granted()).isOne();
            assertThat(byPool.remaining()).isEqualTo(remaining);
            assertThat(byPool.limits()).extracting(LimitState::policy).containsExactly("minimum", "pool");
            assertThat(byPool.limits()).extracting(LimitState::allowed).containsExactly(false, true);
            assertThat(byPool.firstAsked().policy()).isEqualTo("minimum");
        }

        assertThat(decide(chain(of(minimum), of(pool))).isDenied()).isTrue();
    }

    @Test
    void aDeniedCallIsToldTheShortestWaitAndChargesNothing() {
        use(minimum, 2);
        use(pool, 3);
        clock.addAndGet(SECOND.toNanos() / 1_000);

        Decision denied = only(decide(chain(of(minimum), of(pool))));

        assertThat(denied.policy()).isEqualTo("pool");
        assertThat(denied.retryAfter()).isEqualTo(MINUTE.minus(SECOND));
        assertThat(denied.denialReason()).contains(DenialReason.LIMIT_REACHED);
        assertThat(denied.limits()).extracting(LimitState::policy).containsExactly("minimum", "pool");
        clock.addAndGet(MINUTE.minus(SECOND).toNanos() / 1_000);
        assertThat(only(decide(chain(of(minimum), of(pool)))).remaining()).isEqualTo(2);
    }

    @Test
    void theFirstPolicyAndThePayerObeyACalledService() {
        use(minimum, 2);
        use(pool, 1);
        KeyedCharge[] chain = chain(of(minimum), of(pool), of(policy("spare", Limit.slidingLog(1, HOUR))));

        assertThat(decide(chain).obeying()).extracting(Decision::policy).containsExactlyInAnyOrder("pool", "minimum");
        assertThat(decide(of(policy("other", Limit.slidingLog(1, HOUR)))).obeying()).extracting(Decision::policy)
                .containsExactly("other");
    }

    @Test
    void aCostThatOnePolicyCanNeverAllowWaitsForTheOther() {
        use(minimum, 2);
        use(pool, 3);

        Decision onlyPool = only(decide(chain(of(minimum, 3), of(pool, 3))));
        assertThat(onlyPool.policy()).isEqualTo("pool");
        assertThat(onlyPool.retryAfter()).isEqualTo(MINUTE);

        Decision none = only(decide(chain(of(minimum, 4), of(pool, 4))));
        assertThat(none.policy()).isEqualTo("minimum");
        assertThat(none.neverAllowed()).isTrue();
        assertThat(none.denialReason()).contains(DenialReason.COST_ABOVE_CAPACITY);
    }

    @Test
    void allLimitsOfAnOverflowMustAllow() {
        Policy both = policy("both", Limit.slidingLog(1, MINUTE), Limit.slidingLog(5, MINUTE));
        use(minimum, 2);

        assertThat(only(decide(chain(of(minimum), of(both)))).allowed()).isTrue();
        Decision denied = only(decide(chain(of(minimum), of(both))));

        assertThat(denied.allowed()).isFalse();
        assertThat(denied.limit()).isEqualTo("l0");
        assertThat(only(decide(new KeyedCharge[] { request(both, "caller", PermitRequest.PEEK) })).ownLimits().get(1)
                .remaining()).as("charged once").isEqualTo(4);
    }

    @Test
    void aBlockedFirstPolicyAsksNoOverflow() {
        Policy blocking = minimum.withPenalty(new Penalty(1, HOUR, HOUR, HOUR));
        use(blocking, 2);
        only(decide(of(blocking)));

        Decision denied = only(decide(chain(of(blocking), of(pool))));

        assertThat(denied.policy()).isEqualTo("minimum");
        assertThat(denied.denialReason()).contains(DenialReason.BLOCKED);
        assertThat(denied.retryAfter()).isEqualTo(HOUR);
        assertThat(denied.limits()).extracting(LimitState::policy).containsExactly("minimum");
    }

    @Test
    void aDenialCountsTowardsABlockOnlyIfAllDeny() {
        Policy blocking = minimum.withPenalty(new Penalty(2, HOUR, HOUR.multipliedBy(2), HOUR.multipliedBy(2)));
        use(blocking, 2);

        for (int call = 1; call <= 3; call++) {
            assertThat(only(decide(chain(of(blocking), of(pool)))).policy()).isEqualTo("pool");
        }
        assertThat(only(decide(chain(of(blocking), of(pool)))).policy()).isEqualTo("pool");
        Decision second = only(decide(chain(of(blocking), of(pool))));

        assertThat(second.policy()).isEqualTo("minimum");
        assertThat(second.denialReason()).contains(DenialReason.BLOCKED);
        assertThat(second.retryAfter()).as("the block that it begins").isEqualTo(HOUR.multipliedBy(2));
    }

    @Test
    void aBlockedOverflowIsPassedOn() {
        Policy blocking = policy("blocking", Limit.slidingLog(1, SECOND)).withPenalty(new Penalty(1, HOUR, HOUR, HOUR));
        use(minimum, 2);
        use(blocking, 1);
        only(decide(of(blocking)));

        assertThat(only(decide(chain(of(minimum), of(blocking), of(pool)))).policy()).isEqualTo("pool");
    }

    @Test
    void theEndOfABlockIsNoWaitForACostAboveTheCapacity() {
        Policy blocking = policy("blocking", Limit.slidingLog(1, SECOND)).withPenalty(new Penalty(1, MINUTE, MINUTE, MINUTE));
        use(minimum, 2);
        use(blocking, 1);
        only(decide(of(blocking)));
        assertThat(only(decide(chain(of(minimum), of(blocking)))).retryAfter()).isEqualTo(MINUTE);

        Decision denied = only(decide(chain(of(minimum, 2), of(blocking, 2))));
        assertThat(denied.policy()).isEqualTo("minimum");
        assertThat(denied.retryAfter()).isEqualTo(HOUR);
        assertThat(only(decide(chain(of(minimum, 3), of(blocking, 2)))).neverAllowed()).isTrue();
    }

    @Test
    void anOverflowThatDoesNotLimitTheCallerAllowsWithoutPayment() {
        use(minimum, 2);
        KeyedCharge free = new KeyedCharge(of(pool).charge().withoutLimits(), "caller");

        Decision allowed = only(decide(chain(of(minimum), free)));

        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.policy()).isEqualTo("pool");
        assertThat(allowed.source()).isEqualTo(Source.NOT_LIMITED);
        assertThat(allowed.charged()).isTrue();
        assertThat(allowed.limits()).extracting(LimitState::policy).containsExactly("minimum");
    }

    @Test
    void anOverflowInShadowModeAllowsAndPaysWhileItCan() {
        use(minimum, 2);

        for (int call = 1; call <= 3; call++) {
            Decision paid = only(decide(chain(of(minimum), of(pool.inShadow()))));
            assertThat(paid.allowed()).isTrue();
            assertThat(paid.charged()).isTrue();
        }
        Decision beyond = only(decide(chain(of(minimum), of(pool.inShadow()))));
        assertThat(beyond.allowed()).isTrue();
        assertThat(beyond.charged()).isFalse();
        assertThat(beyond.shown()).extracting(Decision::policy).containsExactly("minimum");
    }

    @Test
    void noChainIsChargedIfAnotherOneDenies() {
        Policy other = policy("other", Limit.slidingLog(1, HOUR)), spare = policy("spare", Limit.slidingLog(1, HOUR));
        KeyedCharge[] both = Stream.of(chain(of(minimum), of(pool)), chain(of(other), of(spare))).flatMap(Stream::of)
                .toArray(KeyedCharge[]::new);

        assertThat(decide(both).decisions()).extracting(Decision::policy).containsExactly("minimum", "other");
        assertThat(decide(both).decisions()).extracting(Decision::policy).containsExactly("minimum", "spare");
        Outcome denied = decide(both);

        assertThat(denied.decisions()).extracting(Decision::policy).containsExactly("pool", "other");
        assertThat(denied.decisions()).extracting(Decision::allowed).containsExactly(true, false);
        assertThat(denied.decisions()).noneMatch(Decision::charged);
        assertThat(RateLimitException.of(denied.newDenial().decision()).decision().policy()).isEqualTo("other");
        assertThat(only(decide(chain(of(minimum), of(pool)))).remaining()).isEqualTo(2);
    }

    private void use(Policy policy, int count) {
        for (int call = 1; call <= count; call++) {
            assertThat(decide(of(policy.withoutCountingDenials())).isDenied()).isFalse();
        }
    }

    private static KeyedCharge of(Policy policy) {
        return request(policy, "caller", ONE);
    }

    private static KeyedCharge of(Policy policy, long cost) {
        return request(policy, "caller", PermitRequest.of(cost));
    }

    private Outcome decide(KeyedCharge... charges) {
        return store.decide(new Call(++calls, List.of(charges), null)).await().atMost(SECOND);
    }

    private static Decision only(Outcome outcome) {
        assertThat(outcome.decisions()).hasSize(1);
        return outcome.decisions().get(0);
    }
}
