package io.quarkiverse.ratelimit.runtime.engine.delay;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;

/** A call above the maximum of delayed calls is decided within one timeout, however many requests it needs. */
class DelayedCallsTimeoutTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration SLOW = Duration.ofMillis(2_100);
    private static final Limit PACED = Limit.leakyBucket(1, Duration.ofDays(1), Duration.ofDays(9));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    static Stream<Policy> policies() {
        return Stream.of(policy("paced", PACED), policy("paced-runs", PACED, Limit.concurrency(9)));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void slowRepliesShareOneTimeout(Policy policy) {
        Charge charge = new Charge(policy, PermitRequest.of(1));
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
                RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT)) {
            CodeCalls calls = new TestLimiter(store, new LocalStore(() -> System.nanoTime() / 1_000), REDIS.vertx, TIMEOUT,
                    new DenialCache(System::nanoTime), TestLimiter.noBeans(REDIS.vertx), 1, 1).calls;
            // each with a key of its own, as a second call of a key waits for a day
            await().atMost(SOON)
                    .until(() -> calls.decide(List.of(new KeyedCharge(charge, UUID.randomUUID().toString())), calls.deadline())
                            .await()
                            .atMost(SOON).decisions().get(0).source() == Source.REDIS);
            calls.decide(List.of(new KeyedCharge(charge, "first")), calls.deadline()).await().atMost(SOON);
            proxy.delay(SLOW);

            long requested = System.nanoTime();
            CompletableFuture<Outcome> one = calls.decide(List.of(new KeyedCharge(charge, "first")), calls.deadline())
                    .subscribeAsCompletionStage();
            CompletableFuture<Outcome> other = calls.decide(List.of(new KeyedCharge(charge, "first")), calls.deadline())
                    .subscribeAsCompletionStage();
            CompletableFuture.anyOf(one, other).join();

            // the decision, the refund and the second decision would take at least three slow replies
            assertThat(Duration.ofNanos(System.nanoTime() - requested)).isLessThan(SLOW.multipliedBy(3));
            one.cancel(true);
            other.cancel(true);
        }
    }
}
