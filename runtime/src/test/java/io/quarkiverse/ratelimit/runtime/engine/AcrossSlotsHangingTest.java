package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;

/** However many masters hang, a call of several parts waits no longer than one of a single part. */
@Tag("slow")
class AcrossSlotsHangingTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    @Test
    void partsOfACallShareOneTimeout() throws Exception {
        LocalStore local = new LocalStore(() -> Clock.systemUTC().millis() * 1000);
        try (RedisStore store = CLUSTER.newStore(TIMEOUT)) {
            store.open().toCompletableFuture().join();
            TestLimiter limiter = new TestLimiter(store, local, CLUSTER.vertx, TIMEOUT);
            List<KeyedCharge> requested = Stream.of(0, 1, 2).map(slot -> TestLimiter.request(
                    policy("p" + slot, Limit.tokenBucket(10).refill(1, Duration.ofDays(1))), RealCluster.nameOn(slot),
                    PermitRequest.of(1)))
                    .toList();
            await().untilAsserted(() -> assertThat(decide(limiter, requested)).containsOnly(Source.REDIS));

            CLUSTER.signal("STOP");
            long began = System.nanoTime();
            try {
                assertThat(decide(limiter, requested)).containsOnly(Source.FALLBACK);
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT.multipliedBy(2));
            } finally {
                CLUSTER.signal("CONT");
            }
        }
    }

    private static List<Source> decide(TestLimiter limiter, List<KeyedCharge> requested) {
        List<Source> sources = new ArrayList<>();
        limiter.decide(requested.toArray(KeyedCharge[]::new)).decisions().forEach(decision -> sources.add(decision.source()));
        return sources;
    }
}
