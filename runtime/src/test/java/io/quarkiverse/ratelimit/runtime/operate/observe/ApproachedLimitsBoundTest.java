package io.quarkiverse.ratelimit.runtime.operate.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** What {@code warn-at} costs: nothing where nothing warns, and a bounded number of keys per policy otherwise. */
class ApproachedLimitsBoundTest {

    private static final Limit LIMIT = Limit.tokenBucket(1_000_000_000);
    private static final Policy SMALL = StoreRequests.policy("small", LIMIT);
    private static final Policy LARGE = StoreRequests.policy("large", LIMIT);
    private static final Policy OFF = StoreRequests.policy("off", LIMIT);
    private static final RateLimitConfig CONFIG = new SmallRyeConfigBuilder().addDefaultInterceptors()
            .addDiscoveredConverters().withMapping(RateLimitConfig.class)
            .withSources(new PropertiesConfigSource(Map.of("quarkus.rate-limit.policies.small.warn-at", "1%",
                    "quarkus.rate-limit.policies.large.warn-at", "100%", "quarkus.rate-limit.policies.off.permits", "1"),
                    "test", 100))
            .build().getConfigMapping(RateLimitConfig.class);

    private final LimiterClock clock = new LimiterClock();
    private final List<String> reports = new ArrayList<>();
    private final ApproachedLimits.Listener reporting = (policy, approached) -> reports
            .add(approached.policy() + " " + approached.decision().key());

    @Test
    void isNotNeededWithoutAListenerOrAPolicyThatWarns() {
        assertThat(limits().expect(List.of(SMALL, LARGE))).isFalse();
        assertThat(limits(reporting).expect(List.of(OFF))).isFalse();
        assertThat(limits(reporting).expect(List.of(OFF, SMALL))).isTrue();
    }

    @Test
    void shareIsExact() {
        ApproachedLimits limits = limits(reporting);
        limits.expect(List.of(SMALL, LARGE, OFF));

        allow(limits, SMALL, "below", 9_999_999);
        allow(limits, LARGE, "below", 999_999_999);
        allow(limits, OFF, "all", 1_000_000_000);
        assertThat(reports).isEmpty();

        allow(limits, SMALL, "reached", 10_000_000);
        allow(limits, LARGE, "reached", 1_000_000_000);
        assertThat(reports).containsExactly("small reached", "large reached");
    }

    @Test
    void manyKeysOfAPolicyDoNotSuppressThoseOfAnother() {
        ApproachedLimits limits = limits(reporting);
        limits.expect(List.of(SMALL, LARGE));

        for (int key = 0; key < 11_000; key++) {
            allow(limits, SMALL, "key" + key, 1_000_000_000);
        }
        assertThat(reports).hasSize(10_000);
        allow(limits, LARGE, "alice", 1_000_000_000);
        assertThat(reports).last().isEqualTo("large alice");

        clock.advance(Duration.ofMinutes(1));
        allow(limits, SMALL, "alice", 1_000_000_000);
        assertThat(reports).last().isEqualTo("small alice");
    }

    @Test
    void everyKeyIsNewAfterClear() {
        ApproachedLimits limits = limits(reporting);
        limits.expect(List.of(SMALL));

        allow(limits, SMALL, "alice", 1_000_000_000);
        allow(limits, SMALL, "alice", 1_000_000_000);
        limits.clear();
        allow(limits, SMALL, "alice", 1_000_000_000);

        assertThat(reports).containsExactly("small alice", "small alice");
    }

    private ApproachedLimits limits(ApproachedLimits.Listener... listeners) {
        return new ApproachedLimits(CONFIG, List.of(listeners), clock);
    }

    private static void allow(ApproachedLimits limits, Policy policy, String key, long used) {
        LimitUsage state = new LimitUsage("l0", LIMIT, true, 1_000_000_000, 1_000_000_000 - used, Duration.ZERO, Duration.ZERO,
                Duration.ZERO, Duration.ZERO);
        limits.decided(policy.name(), Effect.ALLOWED,
                Decision.recorded(policy, key, 0, 1, Source.REDIS, List.of(state), null, Instant.EPOCH));
    }
}
