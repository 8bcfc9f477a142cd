package io.quarkiverse.ratelimit.runtime.engine.limits;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.redis.client.Command;

/** Two instances with one Redis, from which each of them can be cut off. */
class OverridesBlocksTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit TEN_A_DAY = Limit.fixedWindow(10, Duration.ofDays(300));
    private static final LongSupplier CLOCK = () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());

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
    void blockedCallIsNotChargedAndWaitsForTheLimitIfThatIsLonger() {
        here.acquire(policy, 9);
        here.block(policy, HOUR);
        there.refresh();

        Decision blocked = there.acquire(policy, 1);
        assertThat(blocked).returns(DenialReason.BLOCKED, Decision::reason).returns(0L, Decision::remaining)
                .returns(Source.REDIS, Decision::source);
        assertThat(blocked.retryAfter()).isBetween(Duration.ofMinutes(59), HOUR);
        assertThat(there.acquire(policy, 2).retryAfter()).isGreaterThan(HOUR);
        assertThat(there.limiter.decide(policy, caller, new PermitRequest(1, OperationKind.PEEK, 0)).isDenied()).isTrue();

        there.unblock(policy);
        assertThat(there.acquire(policy, 1).allowed()).isTrue();
        assertThat(there.acquire(policy, 1)).returns(DenialReason.LIMIT_REACHED, Decision::reason);
    }

    @Test
    void blockedPolicyChargesNoOther() {
        Policy other = policy("other", TEN_A_DAY);
        here.block(policy, HOUR);

        Outcome outcome = here.limiter.decide(TestLimiter.request(other, caller, PermitRequest.of(1)),
                TestLimiter.request(here.overrides.forKey(policy, caller), caller, PermitRequest.of(1)));

        assertThat(outcome.newDenial().decision().policy()).isEqualTo("policy");
        assertThat(here.acquire(other, 1).remaining()).isEqualTo(9);
    }

    @Test
    void unlimitedPlanDoesNotHelpABlockedKey() {
        Plan unlimited = new Plan("unlimited", true, Map.of());

        here.block(policy, HOUR);

        assertThat(here.overrides.inForce(policy, unlimited, caller).isBlocked()).isTrue();
        assertThat(here.overrides.inForce(policy, unlimited, "another")).isNull();
    }

    @Test
    void unlimitedPlanIsUnlimitedAgainAfterTheBlock() {
        here.block(policy, HOUR);

        here.unblock(policy);

        assertThat(here.overrides.inForce(policy, Plan.UNLIMITED, caller)).isNull();
    }

    @Test
    void blockHoldsWhileRedisIsUnavailable() {
        forEachFailure(failing -> here.block(failing, HOUR));
        there.refresh();
        there.proxy.swallow();

        forEachFailure(failing -> {
            Decision blocked = there.acquire(failing, 1);
            assertThat(blocked).returns(DenialReason.BLOCKED, Decision::reason).returns(Source.FALLBACK, Decision::source);
            assertThat(blocked.retryAfter()).isBetween(Duration.ofMinutes(59), HOUR);
            assertFails(failing, there.limiter.decide(failing, "another", PermitRequest.of(1)).decisions().get(0));
        });
    }

    @Test
    void keyThatAnotherInstanceHasUnblockedIsAllowedInTheNextOutage() {
        forEachFailure(failing -> here.block(failing, HOUR));
        forEachFailure(there::unblock);
        here.refresh();
        here.proxy.swallow();

        forEachFailure(failing -> assertFails(failing, here.acquire(failing, 1)));
    }

    private static void assertFails(Policy policy, Decision decision) {
        assertThat(decision.reason()).as(policy.name())
                .isEqualTo(policy.onRedisFailure() == OnRedisFailure.DENY ? DenialReason.REDIS_UNAVAILABLE : null);
    }

    @Test
    void blockDuringAnOutageHoldsOnThisInstanceUntilRedisIsReadAgain() {
        here.proxy.swallow();

        assertThatThrownBy(() -> here.block(policy, HOUR)).isInstanceOf(RateLimitUnavailableException.class)
                .hasMessageStartingWith("The key is blocked only on this instance: ");

        assertThat(here.acquire(policy, 1)).returns(DenialReason.BLOCKED, Decision::reason);
        assertThat(there.acquire(policy, 1).allowed()).isTrue();
        assertThat(here.blocked(policy)).containsExactly(caller);
        here.proxy.recover();
        await().atMost(SOON).untilAsserted(() -> {
            here.refresh();
            assertThat(here.acquire(policy, 1)).returns(true, Decision::allowed).returns(Source.REDIS, Decision::source);
        });
    }

    @Test
    void errorFromRedisIsAnOutage() {
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "1");
        try {
            assertThatThrownBy(() -> here.block(policy, HOUR)).isInstanceOf(RateLimitUnavailableException.class)
                    .hasMessageStartingWith("The key is blocked only on this instance: ").hasMessageContaining("OOM");
        } finally {
            REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        }
    }

    @Test
    void tooManyBlocksAreNoOutage() {
        REDIS.send(Command.HSET, Stream.concat(Stream.of("test:{overrides}"), IntStream.range(0, 10_000).boxed()
                .flatMap(text -> Stream.of("p" + text, "4000000000000000 {}"))).toArray());

        assertThatThrownBy(() -> here.block(policy, HOUR)).isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("there are 10000 overrides and blocks already, remove some first");
    }

    @Test
    void unblockDuringAnOutageHoldsOnThisInstanceUntilRedisIsReadAgain() {
        here.block(policy, HOUR);
        here.proxy.swallow();

        assertThatThrownBy(() -> here.unblock(policy)).isInstanceOf(RateLimitUnavailableException.class)
                .hasMessageStartingWith("The key was unblocked only on this instance: ");

        assertThat(here.acquire(policy, 1)).returns(true, Decision::allowed).returns(Source.FALLBACK, Decision::source);
        here.proxy.recover();
        await().atMost(SOON).untilAsserted(() -> {
            here.refresh();
            assertThat(here.acquire(policy, 1).reason()).isEqualTo(DenialReason.BLOCKED);
        });
    }

    @Test
    void blockOfAPolicyWithAPenaltyLeavesWhatItHasCounted() {
        Policy strict = policy.withPenalty(new Penalty(2, HOUR, HOUR, HOUR));
        here.acquire(strict, 10);
        assertThat(here.acquire(strict, 1).reason()).isEqualTo(DenialReason.LIMIT_REACHED);
        here.block(strict, Duration.ofMinutes(1));
        assertThat(here.acquire(strict, 1).retryAfter()).isGreaterThan(HOUR);
        assertThat(here.blocked(strict)).containsExactly(caller);

        here.overrides.unblock(strict, caller).await().atMost(SOON);

        assertThat(here.acquire(strict, 1).reason()).isEqualTo(DenialReason.BLOCKED);
        here.unblock(strict);
        assertThat(here.acquire(strict, 1).reason()).isEqualTo(DenialReason.LIMIT_REACHED);
    }

    @Test
    void blocksAreKeptInOneKeyOnly() {
        here.block(policy, HOUR);
        for (int call = 0; call < 5; call++) {
            here.acquire(policy, 1);
        }

        assertThat(REDIS.send(Command.KEYS, "*").stream().map(Object::toString)).containsExactly("test:{overrides}");
        assertThat(REDIS.send(Command.PTTL, "test:{overrides}").toLong()).isLessThanOrEqualTo(HOUR.toMillis());
        here.reset(policy);
        assertThat(REDIS.send(Command.DBSIZE).toInteger()).isZero();
    }

    /** At the same time with a policy of each kind, so that all of them meet an outage that is not known yet. */
    private static void forEachFailure(Consumer<Policy> test) {
        Stream.of(OnRedisFailure.values())
                .map(failure -> new Policy("policy-" + failure, List.of(new PolicyLimit("default", TEN_A_DAY)), null,
                        MissingKey.IP, failure, Mode.ENFORCE, true))
                .map(failing -> CompletableFuture.runAsync(() -> test.accept(failing), task -> new Thread(task).start()))
                .toList().forEach(CompletableFuture::join);
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

        Decision acquire(Policy policy, long cost) {
            return limiter.decide(policy, caller, PermitRequest.of(cost)).decisions().get(0);
        }

        void block(Policy policy, Duration time) {
            limiter.administration.block(policy, caller, time, Change.BY_CODE).await().atMost(SOON);
        }

        void unblock(Policy policy) {
            limiter.administration.unblock(policy, caller).await().atMost(SOON);
        }

        void reset(Policy policy) {
            limiter.administration.reset(policy, caller).await().atMost(SOON);
        }

        List<String> blocked(Policy policy) {
            return limiter.administration.blocked(policy).await().atMost(SOON).stream().map(BlockedKey::key).toList();
        }

        void refresh() {
            overrides.refresh().onFailure().recoverWithNull().await().atMost(SOON);
        }

        void close() {
            store.close();
            proxy.close();
        }
    }
}
