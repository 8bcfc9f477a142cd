package io.quarkiverse.ratelimit.runtime.engine.refunds;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.redis.client.Command;

/** A refund that fails while Redis is unavailable is repeated later, where the permits were acquired. */
@Tag("slow")
class RefundsAfterOutageTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final Policy ten = policy("ten", Limit.slidingLog(10, Duration.ofHours(1)));
    private final Charge run = new Charge(policy("one", Limit.concurrency(1)), PermitRequest.of(1));
    private TcpProxy proxy;
    private RedisStore store;
    private TestLimiter limiter;
    private CodeCalls calls;

    @BeforeEach
    void start() {
        proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), Duration.ofMillis(500));
        limiter = new TestLimiter(store, new LocalStore(() -> System.currentTimeMillis() * 1000), REDIS.vertx,
                Duration.ofMillis(500));
        calls = limiter.calls;
    }

    @AfterEach
    void stop() {
        store.close();
        proxy.close();
    }

    @Test
    void refundIsRepeatedUntilRedisReplies() {
        Decision inRedis = awaitSource(Source.REDIS, PermitRequest.of(4));
        long left = inRedis.remaining();
        proxy.swallow();
        Decision local = awaitSource(Source.FALLBACK, PermitRequest.of(1));

        limiter.refunds.refund(inRedis).await().atMost(SOON);
        limiter.refunds.refund(inRedis).await().atMost(SOON);
        limiter.refunds.refund(local).await().atMost(SOON);
        assertThat(awaitSource(Source.FALLBACK, new PermitRequest(1, OperationKind.PEEK, 0)).remaining())
                .isEqualTo(local.remaining() + 1);

        proxy.recover();
        await().atMost(SOON)
                .until(() -> awaitSource(Source.REDIS, new PermitRequest(1, OperationKind.PEEK, 0)).remaining() == left + 4);
    }

    @Test
    void leaseIsReleasedWhenRedisRepliesAgain() {
        Lease lease = awaitLease();
        proxy.swallow();

        lease.release().await().atMost(SOON);
        proxy.recover();

        await().atMost(SOON).until(() -> {
            Outcome outcome = calls.decide(List.of(new KeyedCharge(run, "caller")), calls.deadline()).await().atMost(SOON);
            return outcome.newDenial() == null && outcome.decisions().get(0).source() == Source.REDIS;
        });
    }

    @Test
    void leaseWhoseReplyIsLostIsRefunded() throws Exception {
        awaitLease().release().await().atMost(SOON);
        proxy.dropReplies();

        CompletableFuture<Outcome> lost = calls.decide(List.of(new KeyedCharge(run, "lost")), calls.deadline())
                .subscribeAsCompletionStage();
        await().atMost(SOON).until(() -> REDIS.send(Command.KEYS, "test:{lost}:*").size() == 1);
        proxy.swallow();
        assertThat(lost.get(20, TimeUnit.SECONDS).decisions().get(0).source()).isEqualTo(Source.FALLBACK);
        proxy.recover();

        await().atMost(SOON)
                .until(() -> calls.decide(List.of(new KeyedCharge(run, "lost")), calls.deadline()).await().atMost(SOON)
                        .decisions().get(0),
                        decision -> decision.source() == Source.REDIS && decision.allowed());
    }

    private Lease awaitLease() {
        return await().atMost(SOON)
                .until(() -> calls.decide(List.of(new KeyedCharge(run, "caller")), calls.deadline()).await().atMost(SOON),
                        outcome -> outcome.decisions().get(0).source() == Source.REDIS)
                .lease();
    }

    private Decision awaitSource(Source source, PermitRequest requested) {
        return await().atMost(SOON)
                .until(() -> calls.decide(List.of(new KeyedCharge(new Charge(ten, requested), "caller")), calls.deadline())
                        .await().atMost(SOON)
                        .decisions().get(0), decision -> decision.source() == source);
    }
}
