package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.UnreliableStore;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.redis.client.Command;

/** Permits that a request acquired ahead are refunded when its reply arrives too late. */
class PrefetchedPermitsLateReplyTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(1), LATE = Duration.ofMillis(400);
    /** The time after which a connection is silent. */
    private static final Duration SILENT = Duration.ofSeconds(3);
    private static final Policy POLICY = UnreliableStore.prefetching("policy", Mode.ENFORCE,
            new PolicyLimit("l0", Limit.tokenBucket(1_000).refill(1, Duration.ofDays(1))), 300, Duration.ofSeconds(30));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final LocalStore local = new LocalStore(() -> System.currentTimeMillis() * 1000);
    private final String caller = UUID.randomUUID().toString();
    private TcpProxy proxy;
    private RedisStore store, direct;
    private TestLimiter limiter, other;
    private long left;

    @BeforeEach
    void hold() {
        proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), SILENT);
        direct = REDIS.newStore(SOON);
        limiter = new TestLimiter(store, local, REDIS.vertx, TIMEOUT);
        other = new TestLimiter(direct, local, REDIS.vertx, SOON);
        await().atMost(SOON).until(() -> peek(limiter).source() == Source.REDIS);
        // Redis must know the scripts, as they would be sent again only after a reply
        other.refunds.refund(other.decide(POLICY, "somebody else", PermitRequest.of(1)).decisions().get(0)).await()
                .atMost(SOON);
        left = 1_000;
        while (decide(SOON).source() != Source.PREFETCHED) {
            // nothing is held yet
        }
    }

    @AfterEach
    void stop() {
        store.close();
        direct.close();
        proxy.close();
    }

    @Test
    void overTheSameConnection() {
        long held = left - left();
        REDIS.send(Command.CONFIG, "RESETSTAT");
        pause(TIMEOUT.plus(LATE));

        useAllButOne(held);

        awaitRefund();
    }

    @Test
    void overAConnectionThatIsReplacedBecauseRedisIsSilent() {
        long held = left - left();
        REDIS.send(Command.CONFIG, "RESETSTAT");
        pause(SILENT.plus(LATE));

        useAllButOne(held);

        awaitRefund();
    }

    @Test
    void onceWhenTheReplyToTheRefundIsLost() {
        long held = left - left();
        proxy.delay(TIMEOUT.plus(LATE));
        useAllButOne(held);
        await().atMost(SOON).until(() -> left() < left - 1);
        proxy.dropReplies();
        await().atMost(SOON).until(() -> left() == left - 1);
        REDIS.send(Command.CONFIG, "RESETSTAT");

        proxy.delay(Duration.ZERO);
        proxy.recover();

        awaitRefund();
    }

    /** Others are acquired ahead meanwhile, and the reply is late. */
    private void useAllButOne(long held) {
        assertThat(held).isGreaterThan(1);
        for (long used = 1; used < held; used++) {
            assertThat(decide(SOON).source()).isEqualTo(Source.PREFETCHED);
        }
    }

    /** One is still held. */
    private void awaitRefund() {
        await().atMost(SOON).until(() -> REDIS.calls("zscore") > 0);
        await().atMost(SOON).until(() -> left() == left - 1);
    }

    private void pause(Duration time) {
        REDIS.send(Command.CLIENT, "PAUSE", time.toMillis());
    }

    private Decision decide(Duration timeout) {
        left--;
        return limiter.calls
                .decide(List.of(new KeyedCharge(new Charge(POLICY, PermitRequest.of(1)), caller)), Deadline.in(timeout)).await()
                .atMost(SOON)
                .decisions().get(0);
    }

    private long left() {
        return peek(other).remaining();
    }

    private Decision peek(TestLimiter instance) {
        return instance.decide(POLICY, caller, new PermitRequest(1, OperationKind.PEEK, 0)).decisions().get(0);
    }
}
