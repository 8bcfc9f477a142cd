package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;

/** Two instances allow no more than the limit and their shares of it, however often Redis comes and goes. */
class FallbackDividedLimitsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Policy HUNDRED = policy("hundred",
            Limit.tokenBucket(100).refill(100, Duration.ofDays(365)));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final List<Instance> instances = List.of(new Instance(), new Instance());

    @AfterEach
    void close() {
        instances.forEach(Instance::close);
    }

    @Test
    void flappingRedisAllowsTheLimitAndEachInstancesPartAndNoMore() {
        for (int outage = 0; outage < 3; outage++) {
            instances.forEach(instance -> instance.proxy.swallow());
            instances.forEach(instance -> instance.awaitDecisionsBy(Source.FALLBACK, 25));
            instances.forEach(instance -> instance.proxy.recover());
            instances.forEach(instance -> instance.awaitDecisionsBy(Source.REDIS, 20));
        }

        assertThat(instances).allSatisfy(instance -> assertThat(instance.locally).hasValue(50));
        assertThat(instances.stream().mapToLong(instance -> instance.byRedis.get()).sum()).isBetween(50L, 100L);
    }

    @Test
    void whatIsTooMuchForOnePartIsUnavailableAndNotImpossible() {
        Instance instance = instances.get(0);
        instance.awaitDecisionsBy(Source.REDIS, 0);
        instance.proxy.swallow();
        instance.awaitDecisionsBy(Source.FALLBACK, 0);

        assertThat(instance.decide(PermitRequest.of(51)).newDenial()).isInstanceOf(RateLimitUnavailableException.class)
                .extracting(denial -> ((RateLimitUnavailableException) denial).decision())
                .returns(Duration.ofSeconds(1), RateLimitDecision::retryAfter)
                .returns(false, RateLimitDecision::neverAllowed);
        assertThat(instance.decide(PermitRequest.of(101)).newDenial().decision().neverAllowed()).isTrue();
        assertThat(instance.decide(PermitRequest.of(50)).newDenial()).isNull();
    }

    private static final class Instance {

        private final TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        private final RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), Duration.ofMillis(250));
        private final TestLimiter limiter = new TestLimiter(store, new LocalStore(() -> System.nanoTime() / 1000),
                REDIS.vertx, Duration.ofMillis(250), new DenialCache(System::nanoTime),
                TestLimiter.noBeans(REDIS.vertx), 100, 2);
        private final AtomicLong locally = new AtomicLong();
        private final AtomicLong byRedis = new AtomicLong();

        Outcome decide(PermitRequest requested) {
            return limiter.decide(HUNDRED, "caller", requested);
        }

        void awaitDecisionsBy(Source source, int times) {
            await().atMost(SOON).until(() -> decision(new PermitRequest(1, OperationKind.PEEK, 0)).source() == source);
            for (int i = 0; i < times; i++) {
                await().pollDelay(Duration.ZERO).atMost(SOON).until(() -> decide() == source);
            }
        }

        private Source decide() {
            RateLimitDecision decision = decision(PermitRequest.of(1));
            if (decision.allowed()) {
                (decision.source() == Source.REDIS ? byRedis : locally).incrementAndGet();
            }
            return decision.source();
        }

        private RateLimitDecision decision(PermitRequest requested) {
            return decide(requested).decisions().get(0);
        }

        void close() {
            store.close();
            proxy.close();
        }
    }
}
