package io.quarkiverse.ratelimit.runtime.engine.limits;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.redis.client.Command;

/** While one instance has a policy in shadow mode, another one denies nobody. */
class OverridesShadowTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit TEN_A_DAY = Limit.fixedWindow(10, Duration.ofDays(300));
    private static final LongSupplier CLOCK = () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    private static final Change CHANGE = new Change("false alarm", "root", Instant.parse("2026-03-01T02:42:00Z"));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final String caller = UUID.randomUUID().toString();
    private final Policy policy = policy("policy", TEN_A_DAY);
    private final Instance here = new Instance(), there = new Instance();

    @AfterEach
    void close() {
        here.close();
        there.close();
        REDIS.send(Command.FLUSHALL);
    }

    @Test
    void callBeyondTheLimitIsAllowedAndReportedUntilThePolicyIsEnforced() {
        there.acquire(policy, 10);
        here.shadow(policy);
        there.refresh();

        Outcome beyond = there.acquire(policy, 1);
        assertThat(beyond.isDenied()).isFalse();
        assertThat(beyond.decisions()).isEmpty();
        assertThat(beyond.shadows()).singleElement().returns(DenialReason.LIMIT_REACHED, decision -> decision.reason());

        here.limiter.administration.enforce(policy).await().atMost(SOON);
        there.refresh();
        assertThat(there.acquire(policy, 1).isDenied()).isTrue();
    }

    @Test
    void denialsInShadowModeBeginNoBlock() {
        Policy strict = policy("strict", TEN_A_DAY).withPenalty(new Penalty(2, HOUR, HOUR, HOUR));
        here.shadow(strict);
        there.refresh();
        there.acquire(strict, 10);
        for (int denials = 1; denials <= 3; denials++) {
            there.acquire(strict, 1);
        }
        assertThat(there.acquire(strict, 1).shadows()).singleElement()
                .returns(DenialReason.LIMIT_REACHED, decision -> decision.reason());

        here.limiter.administration.enforce(strict).await().atMost(SOON);
        there.refresh();

        assertThat(there.acquire(strict, 1).decisions()).singleElement()
                .returns(DenialReason.LIMIT_REACHED, decision -> decision.reason());
    }

    @Test
    void blockedCallerIsAllowed() {
        here.limiter.administration.block(policy, caller, HOUR, Change.BY_CODE).await().atMost(SOON);
        Policy strict = policy("strict", TEN_A_DAY).withPenalty(new Penalty(1, HOUR, HOUR, HOUR));
        there.acquire(strict, 11);
        assertThat(there.acquire(strict, 1).decisions()).singleElement()
                .returns(DenialReason.BLOCKED, decision -> decision.reason());
        here.shadow(policy);
        here.shadow(strict);
        there.refresh();

        for (Policy blocked : List.of(policy, strict)) {
            assertThat(there.acquire(blocked, 1).isDenied()).isFalse();
        }
    }

    @Test
    void overriddenLimitsAndPlansAreInShadowModeToo() {
        here.limiter.administration
                .override(policy, caller, Map.of(policy.limits().get(0).name(), Limit.fixedWindow(3, HOUR)), HOUR,
                        CHANGE)
                .await().atMost(SOON);
        here.shadow(policy);
        there.refresh();

        assertThat(there.overrides.inForce(policy, null, caller)).returns(Mode.SHADOW, Policy::mode)
                .returns(3L, inForce -> inForce.limits().get(0).limit().permits());
        assertThat(there.overrides.overrides(policy)).singleElement().returns(CHANGE, override -> override.change());
    }

    @Test
    void callerIsAllowedWhileRedisIsUnavailable() {
        Policy denying = new Policy("denying", List.of(new PolicyLimit("default", TEN_A_DAY)), null, MissingKey.IP,
                OnRedisFailure.DENY, Mode.ENFORCE, true);
        here.shadow(denying);
        there.refresh();
        there.proxy.swallow();

        assertThat(there.acquire(denying, 1).isDenied()).isFalse();
    }

    @Test
    void missingKeyIsNotDenied() {
        Policy denying = new Policy("denying", List.of(new PolicyLimit("default", TEN_A_DAY)), null, MissingKey.DENY,
                OnRedisFailure.ALLOW, Mode.ENFORCE, true);
        here.shadow(denying);
        there.refresh();

        assertThat(denying.deniesMissingKey()).isTrue();
        assertThat(there.overrides.inMode(denying).deniesMissingKey()).isFalse();
    }

    @Test
    void lastShadowCountsWithItsReasonAndOperator() {
        here.limiter.administration.shadow(policy, Duration.ofDays(2), Change.BY_CODE).await().atMost(SOON);
        here.shadow(policy);
        there.refresh();

        assertThat(there.overrides.shadow(policy)).hasValueSatisfying(shadow -> {
            assertThat(shadow.remainingTime()).isBetween(Duration.ofMinutes(59), HOUR);
            assertThat(shadow.change()).isEqualTo(CHANGE);
        });
        assertThat(there.overrides.overrides(policy)).isEmpty();
        assertThat(there.limiter.administration.blocked(policy).await().atMost(SOON)).isEmpty();
        assertThat(there.overrides.shadow(policy("other", TEN_A_DAY))).isEmpty();
    }

    @Test
    void allBlockedKeysAreUnblocked() {
        Policy strict = policy("strict", TEN_A_DAY).withPenalty(new Penalty(1, HOUR, HOUR, HOUR));
        here.limiter.administration.block(strict, "alice", HOUR, CHANGE).await().atMost(SOON);
        here.limiter.administration.block(strict, "bob", HOUR, CHANGE).await().atMost(SOON);
        here.limiter.administration.block(policy, "alice", HOUR, CHANGE).await().atMost(SOON);
        assertThat(here.limiter.administration.blocked(strict).await().atMost(SOON)).hasSize(2)
                .allSatisfy(blocked -> assertThat(blocked.change()).isEqualTo(CHANGE));

        here.limiter.administration.unblockAll(strict).await().atMost(SOON);

        assertThat(here.limiter.administration.blocked(strict).await().atMost(SOON)).isEmpty();
        assertThat(here.limiter.administration.blocked(policy).await().atMost(SOON)).hasSize(1);
    }

    private final class Instance {

        final TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        final RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT);
        final Overrides overrides = new Overrides(new RedisOverrides(store, "test"), CLOCK);
        final TestLimiter limiter = new TestLimiter(store, new LocalStore(CLOCK), REDIS.vertx, TIMEOUT, System::nanoTime,
                overrides);

        Instance() {
            store.open().toCompletableFuture().join();
        }

        Outcome acquire(Policy policy, long cost) {
            return limiter.decide(policy, caller, PermitRequest.of(cost));
        }

        void shadow(Policy policy) {
            limiter.administration.shadow(policy, HOUR, CHANGE).await().atMost(SOON);
        }

        void refresh() {
            overrides.refresh().await().atMost(SOON);
        }

        void close() {
            store.close();
            proxy.close();
        }
    }
}
