package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.store.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.redis.RealRedis;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.redis.TcpProxy;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;

/** A call above the maximum of delayed calls is decided within one timeout, however many requests it needs. */
class MaxDelayedTimeoutTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofMillis(1_400);
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
            await().atMost(SOON).until(
                    () -> calls.decide(charge, "first", calls.deadline()).await().atMost(SOON).decisions().get(0)
                            .source() == Source.REDIS);
            proxy.delay(SLOW);

            long requested = System.nanoTime();
            CompletableFuture<Outcome> one = calls.decide(charge, "first", calls.deadline()).subscribeAsCompletionStage();
            CompletableFuture<Outcome> other = calls.decide(charge, "first", calls.deadline()).subscribeAsCompletionStage();
            CompletableFuture.anyOf(one, other).join();

            assertThat(Duration.ofNanos(System.nanoTime() - requested)).isLessThan(TIMEOUT.plusMillis(600));
            one.cancel(true);
            other.cancel(true);
        }
    }
}
