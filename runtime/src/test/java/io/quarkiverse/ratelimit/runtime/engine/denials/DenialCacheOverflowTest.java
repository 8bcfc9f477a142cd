package io.quarkiverse.ratelimit.runtime.engine.denials;

import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.chain;
import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.vertx.core.Vertx;

/** An instance denies a call by itself only while it remembers denials by all policies that would be asked. */
class DenialCacheOverflowTest {

    private static final Vertx VERTX = Vertx.vertx();
    private static final Duration HOUR = Duration.ofHours(1);

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final UnreliableStore store = new UnreliableStore(new LocalStore(clock::get));
    private final TestLimiter limiter = new TestLimiter(store, new LocalStore(clock::get), VERTX, Duration.ofSeconds(5),
            () -> clock.get() * 1_000);
    private final Policy user = policy("user", Duration.ofSeconds(10));
    private final Policy team = policy("team", Duration.ofSeconds(1));
    private int before;

    @AfterAll
    static void close() {
        VERTX.close();
    }

    @BeforeEach
    void useUp() {
        decide("alice");
        decide("alice");
        before = store.requests();
    }

    @Test
    void repeatsTheDenialsOfAll() {
        assertThat(decide("alice").source()).isEqualTo(Source.REDIS);
        clock.addAndGet(500_000);
        Decision repeated = decide("alice");

        assertThat(repeated.source()).isEqualTo(Source.DENIAL_CACHE);
        assertThat(repeated.allowed()).isFalse();
        assertThat(repeated.policy()).isEqualTo("user");
        assertThat(repeated.retryAfter()).isEqualTo(HOUR.minusMillis(500));
        assertThat(repeated.asked()).extracting(Decision::policy).containsExactly("user", "team");
        assertThat(store.requests()).isEqualTo(before + 1);
    }

    @Test
    void asksAllOnceOneIsForgotten() {
        decide("alice");
        clock.addAndGet(1_000_000);

        assertThat(decide("alice").source()).isEqualTo(Source.REDIS);
        assertThat(store.requests()).isEqualTo(before + 2);
    }

    @Test
    void neverDeniesWhatAnOverflowWouldAllow() {
        decide("alice");

        Decision byOtherTeam = limiter.decide(chain(of(user, "alice"), of(team, "other"))).decisions().get(0);

        assertThat(byOtherTeam.allowed()).isTrue();
        assertThat(byOtherTeam.policy()).isEqualTo("team");
    }

    @Test
    void refundOfTheOverflowIsSeen() {
        Decision paid = limiter.decide(chain(of(user, "alice"), of(team, "other"))).decisions().get(0);
        assertThat(limiter.decide(chain(of(user, "alice"), of(team, "other"))).isDenied()).isTrue();

        limiter.refunds.refund(paid).await().atMost(Duration.ofSeconds(5));

        assertThat(limiter.decide(chain(of(user, "alice"), of(team, "other"))).isDenied()).isFalse();
    }

    @Test
    void resetOfTheOverflowIsSeen() {
        decide("alice");

        limiter.administration.reset(team, "acme").await().atMost(Duration.ofSeconds(5));

        assertThat(decide("alice").policy()).isEqualTo("team");
        assertThat(store.requests()).isEqualTo(before + 3);
    }

    @Test
    void eachIsRememberedUnderItsOwnKey() {
        decide("alice");
        Decision bob = decide("bob");

        assertThat(bob.allowed()).as("another user of the same team").isTrue();
        assertThat(bob.policy()).isEqualTo("user");
        assertThat(decide("bob").source()).as("the denial by the team was evicted, or not asked").isEqualTo(Source.REDIS);
    }

    private Decision decide(String user) {
        return limiter.decide(chain(of(this.user, user), of(team, "acme"))).decisions().get(0);
    }

    private static KeyedCharge of(Policy policy, String caller) {
        return request(policy, caller, PermitRequest.of(1));
    }

    /** One call per hour. */
    private static Policy policy(String name, Duration denialCache) {
        return new Policy(name, List.of(new PolicyLimit("default", Limit.slidingLog(1, HOUR))), null, MissingKey.IP, List.of(),
                OnRedisFailure.LOCAL, Mode.ENFORCE, true, PlanTable.NONE, Exemptions.NONE, Statuses.ALL, denialCache, null,
                Prefetch.NONE, Duration.ZERO, Duration.ZERO);
    }
}
