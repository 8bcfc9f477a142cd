package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;

/**
 * Policies of one call whose keys lie on other slots of a cluster are decided one after the other: all allow, or none is
 * charged.
 */
@Tag("slow")
class AcrossSlotsTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private final Policy five = policy("five", Limit.slidingLog(5, Duration.ofHours(1)));
    private final Policy three = policy("three", Limit.tokenBucket(3).refill(1, Duration.ofHours(1)));
    private final Policy shadow = policy("shadow", Mode.SHADOW, Limit.tokenBucket(1).refill(1, Duration.ofHours(1)));
    private final Policy atOnce = policy("at-once", Limit.concurrency(2));
    private final String alice = UUID.randomUUID().toString();
    private final String address = UUID.randomUUID().toString();
    private RedisStore store;
    private TestLimiter limiter;

    @BeforeEach
    void start() {
        store = CLUSTER.newStore(Duration.ofSeconds(5));
        LocalStore local = new LocalStore(() -> Clock.systemUTC().millis() * 1000);
        limiter = new TestLimiter(store, local, CLUSTER.vertx, Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() {
        limiter.leases.releaseAll().await().atMost(SOON);
        store.close();
    }

    @Test
    void allAreChargedTogether() {
        Outcome outcome = decide(requested(five, alice), requested(three, address));

        assertThat(outcome.newDenial()).isNull();
        assertThat(outcome.decisions()).extracting(decided -> decided.remaining()).containsExactly(4L, 2L);
        assertThat(outcome.decisions()).allMatch(decided -> decided.source() == Source.REDIS);
    }

    @Test
    void noneIsChargedWhenALaterOneDenies() {
        for (int call = 1; call <= 3; call++) {
            assertThat(decide(requested(five, alice), requested(three, address)).newDenial()).isNull();
        }

        assertThat(decide(requested(five, alice), requested(three, address)).newDenial().decision().policy())
                .isEqualTo("three");
        assertThat(decide(requested(five, alice), requested(three, address)).newDenial().decision().policy())
                .isEqualTo("three");

        assertThat(remaining(requested(five, alice))).as("3 of 5 used, and this one").isEqualTo(1);
    }

    @Test
    void laterOnesAreNotChargedWhenAnEarlierDenies() {
        for (int call = 1; call <= 3; call++) {
            decide(requested(three, address));
        }

        assertThat(decide(requested(three, address), requested(five, alice)).newDenial()).isNotNull();

        assertThat(remaining(requested(five, alice))).isEqualTo(4);
    }

    @Test
    void shadowPolicyDeniesNothingAndIsNotChargedForADeniedCall() {
        for (int call = 1; call <= 3; call++) {
            assertThat(decide(requested(shadow, alice), requested(three, address)).newDenial()).isNull();
        }
        assertThat(decide(requested(three, address), requested(shadow, address)).newDenial()).isNotNull();

        assertThat(decide(requested(shadow, address)).shadows().get(0).allowed()).isTrue();
    }

    @Test
    void leaseIsReleasedWhenALaterPartDenies() {
        for (int call = 1; call <= 3; call++) {
            decide(requested(three, address));
        }
        for (int call = 1; call <= 5; call++) {
            // a released lease comes back in the background
            await().atMost(SOON)
                    .until(() -> decide(requested(atOnce, alice), requested(three, address)).newDenial().decision().policy()
                            .equals("three"));
        }

        await().atMost(SOON).until(() -> decide(peek(atOnce, alice)).decisions().get(0).remaining() == 2);
        Outcome first = decide(requested(atOnce, alice), requested(five, address));
        Outcome second = decide(requested(atOnce, alice), requested(five, address));
        assertThat(decide(requested(atOnce, alice), requested(five, address)).newDenial()).isNotNull();
        first.lease().release().await().atMost(SOON);
        second.lease().release().await().atMost(SOON);
        assertThat(decide(requested(atOnce, alice), requested(five, address)).newDenial()).isNull();
    }

    @Test
    void refundedPermitsAreAvailableInTheDenial() {
        for (int call = 1; call <= 3; call++) {
            decide(requested(three, address));
        }

        assertThat(decide(requested(five, alice), requested(three, address)).decisions())
                .extracting(decided -> decided.remaining()).containsExactly(5L, 0L);
    }

    @Test
    void callOfSeveralPoliciesEvictsTheDenialsThatItChanges() {
        Policy cached = new Policy("cached", three.limits(), null, MissingKey.IP, List.of(), OnRedisFailure.LOCAL, Mode.ENFORCE,
                true,
                PlanTable.NONE, Exemptions.NONE, Statuses.ALL, Duration.ofMinutes(1), null, Prefetch.NONE, Duration.ZERO,
                Duration.ZERO);
        KeyedCharge all = TestLimiter.request(cached, address, PermitRequest.of(3));
        decide(requested(cached, address));
        assertThat(remaining(all)).isEqualTo(2);
        assertThat(decide(all).decisions().get(0).source()).isEqualTo(Source.DENIAL_CACHE);

        decide(requested(five, alice), requested(cached, address));

        assertThat(remaining(all)).isEqualTo(1);
    }

    @Test
    void observersAreNotifiedOnceOfThePartsThatDetermineTheResult() {
        List<String> received = new ArrayList<>();
        Observers observers = Observers.of(
                List.of((policy, effect, decision) -> received.add(policy + ' ' + effect.text())));

        for (int call = 1; call <= 4; call++) {
            Outcome outcome = decide(requested(five, alice), requested(three, address), requested(shadow, alice));
            observers.ofThisCall().notifyOf(outcome, List.of());
        }

        assertThat(received).containsExactly("five allowed", "three allowed", "shadow allowed",
                "five allowed", "three allowed", "shadow shadow-denied", "five allowed", "three allowed",
                "shadow shadow-denied",
                "three denied");
    }

    @Test
    void overflowsAreAskedSlotBySlotAndNoneIsChargedForADeniedCall() {
        KeyedCharge[] chain = TestLimiter.chain(requested(three, alice), requested(five, address));

        for (int call = 1; call <= 3; call++) {
            assertThat(decide(chain).decisions()).extracting(decided -> decided.policy()).containsExactly("three");
        }
        for (int call = 1; call <= 5; call++) {
            assertThat(decide(chain).decisions()).extracting(decided -> decided.policy()).containsExactly("five");
        }
        assertThat(decide(chain).newDenial().decision().limits()).extracting(limit -> limit.policy())
                .containsExactly("three", "five");

        Policy spare = policy("spare", Limit.slidingLog(1, Duration.ofHours(1)));
        decide(requested(spare, alice));
        assertThat(decide(requested(spare, alice), chain[0], chain[1]).newDenial()).isNotNull();
    }

    private Outcome decide(KeyedCharge... requested) {
        Outcome outcome = limiter.decide(requested);
        outcome.lease().confirm();
        return outcome;
    }

    private long remaining(KeyedCharge requested) {
        return decide(requested).decisions().get(0).remaining();
    }

    private static KeyedCharge peek(Policy policy, String caller) {
        return TestLimiter.request(policy, caller, new PermitRequest(1, OperationKind.PEEK, 0));
    }

    private static KeyedCharge requested(Policy policy, String caller) {
        return TestLimiter.request(policy, caller, PermitRequest.of(1));
    }
}
