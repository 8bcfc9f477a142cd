package io.quarkiverse.ratelimit.runtime.engine;

import static io.quarkiverse.ratelimit.runtime.store.StoreRequests.policy;
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
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.redis.RealCluster;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;

/** However many masters hang, a call that is decided in turn waits no longer than one that is decided at once. */
@Tag("slow")
class HangingClusterTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    @Test
    void partsOfACallShareOneTimeout() throws Exception {
        LocalStore local = new LocalStore(() -> Clock.systemUTC().millis() * 1000);
        try (RedisStore store = CLUSTER.newStore(TIMEOUT)) {
            DenialCache denials = new DenialCache(() -> 0);
            Decider decider = new Decider(store, local, new LeaseRenewal(CLUSTER.vertx, store, local),
                    new Refunds(store, local, denials), denials);
            List<KeyedCharge> asked = Stream.of(0, 1, 2).map(slot -> new KeyedCharge(new Charge(
                    policy("p" + slot, Limit.tokenBucket(10).refill(1, Duration.ofDays(1))), Call.of(1), 1),
                    RealCluster.nameOn(slot))).toList();
            await().untilAsserted(() -> assertThat(decide(decider, asked)).containsOnly(Source.REDIS));

            CLUSTER.signal("STOP");
            long began = System.nanoTime();
            try {
                assertThat(decide(decider, asked)).containsOnly(Source.FALLBACK);
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TIMEOUT.multipliedBy(2));
            } finally {
                CLUSTER.signal("CONT");
            }
        }
    }

    private static List<Source> decide(Decider decider, List<KeyedCharge> asked) {
        List<Source> sources = new ArrayList<>();
        decider.decide(asked).await().atMost(Duration.ofSeconds(10)).decisions()
                .forEach(decided -> sources.add(decided.decision().source()));
        return sources;
    }
}
