package io.quarkiverse.ratelimit.runtime.engine.delay;

import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.chain;
import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.request;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.vertx.core.Vertx;

/** Calls of a policy and its overflows wait. */
class DelayedCallsOverflowTest {

    private static final Vertx VERTX = Vertx.vertx();
    private static final Duration SOON = Duration.ofSeconds(10), HOUR = Duration.ofHours(1);

    private final LocalStore store = new LocalStore(() -> System.nanoTime() / 1_000);
    private final TestLimiter limiter = new TestLimiter(store, store, VERTX, SOON);
    private final Policy fast = policy("fast", Limit.slidingLog(1, HOUR));
    private final Policy slow = policy("slow", Limit.leakyBucket(1, Duration.ofSeconds(1), Duration.ofSeconds(5)));

    @AfterAll
    static void close() {
        VERTX.close();
    }

    @Test
    void theLastPolicyDelaysWhatTheOthersDeny() {
        assertThat(decide(fast, slow).policy()).isEqualTo("fast");
        assertThat(decide(fast, slow).delay()).isEqualTo(Duration.ZERO);

        Decision delayed = decide(fast, slow);
        assertThat(delayed.policy()).isEqualTo("slow");
        assertThat(delayed.allowed()).isTrue();
        assertThat(delayed.limitsAsCharged().get(0).delay()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
    }

    @Test
    void aDelayedDenialCountsOnce() {
        Policy blocking = fast.withPenalty(new Penalty(2, HOUR, HOUR, HOUR));
        Policy tooSlow = policy("too-slow", Limit.leakyBucket(1, HOUR, Duration.ofMillis(10)));
        decide(blocking, tooSlow);
        decide(blocking, tooSlow);

        assertThat(decide(blocking, tooSlow).denialReason()).contains(DenialReason.LIMIT_REACHED);
        assertThat(decide(blocking, tooSlow).denialReason()).contains(DenialReason.BLOCKED);
    }

    @Test
    void aCallWaitsForTheEndOfThePauseOfTheLastPolicy() {
        Overrides overrides = new Overrides(store.overrides(), () -> System.nanoTime() / 1_000);
        TestLimiter pausing = new TestLimiter(store, store, VERTX, SOON, System::nanoTime, overrides);
        Policy patient = policy("patient", Limit.leakyBucket(10, Duration.ofSeconds(1), Duration.ofSeconds(5)));
        assertThat(decide(fast, patient).policy()).isEqualTo("fast");

        long began = System.nanoTime();
        overrides.pause(patient, "caller", Duration.ofMillis(300)).await().atMost(SOON);
        Decision waited = decide(pausing, fast, overrides.forKey(patient, "caller"));
        assertThat(waited.allowed()).isTrue();
        assertThat(waited.policy()).isEqualTo("patient");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(200));

        overrides.pause(patient, "caller", HOUR).await().atMost(SOON);
        assertThat(decide(pausing, fast, overrides.forKey(patient, "caller")).allowed()).as("longer than max-wait").isFalse();
    }

    @Test
    void codeWaitsForTheShortestWait() {
        Policy second = policy("second", Limit.slidingLog(1, Duration.ofSeconds(1)));
        wait(SOON, fast, second);
        wait(SOON, fast, second);

        Decision waited = wait(Duration.ofSeconds(5), fast, second);
        assertThat(waited.allowed()).isTrue();
        assertThat(waited.policy()).isEqualTo("second");
        assertThat(wait(Duration.ofMillis(1), fast, second).allowed()).isFalse();
    }

    @Test
    void theLastPolicyDelaysWhatABlockDenies() {
        Policy blocked = blocked("blocked", () -> 1_000);
        decide(fast, blocked, slow);
        assertThat(decide(fast, blocked, slow).policy()).isEqualTo("slow");

        assertThat(decide(fast, blocked, slow)).returns("slow", Decision::policy).returns(true, Decision::allowed);
    }

    @Test
    void codeWaitsForTheEndOfABlock() {
        long end = System.nanoTime() / 1_000 + 200_000;
        Policy blocked = blocked("blocked", () -> Math.max(0, end - System.nanoTime() / 1_000));
        wait(SOON, fast, blocked);

        assertThat(wait(SOON, fast, blocked)).returns("blocked", Decision::policy).returns(true, Decision::allowed);
    }

    @Test
    void aDenialOfCodeThatWaitsCountsAlsoIfABlockIsTold() {
        Policy blocking = fast.withPenalty(new Penalty(1, HOUR, HOUR, HOUR));
        Policy blocked = blocked("blocked", () -> 60_000_000);
        wait(Duration.ofMillis(1), blocking, blocked);

        assertThat(wait(Duration.ofMillis(1), blocking, blocked)).returns("fast", Decision::policy)
                .returns(DenialReason.BLOCKED, Decision::reason);
    }

    private static Policy blocked(String name, LongSupplier micros) {
        return policy(name, Limit.slidingLog(1, HOUR)).withPenalty(Penalty.NONE.blockedFor(micros));
    }

    private Decision decide(Policy... policies) {
        return decide(limiter, policies);
    }

    private static Decision decide(TestLimiter limiter, Policy... policies) {
        return limiter.calls.decide(charges(policies), limiter.calls.deadline()).await().atMost(SOON).decisions().get(0);
    }

    private Decision wait(Duration maxWait, Policy... policies) {
        return limiter.calls.decideOrWait(() -> charges(policies), maxWait, limiter.calls.deadline()).await().atMost(SOON)
                .decisions().get(0);
    }

    private static List<KeyedCharge> charges(Policy... policies) {
        PermitRequest one = PermitRequest.of(1);
        KeyedCharge[] overflows = Stream.of(policies).skip(1).map(policy -> request(policy, "caller", one))
                .toArray(KeyedCharge[]::new);
        return List.of(chain(request(policies[0], "caller", one), overflows));
    }
}
