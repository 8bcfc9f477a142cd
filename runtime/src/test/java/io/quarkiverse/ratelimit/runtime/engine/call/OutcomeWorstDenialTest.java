package io.quarkiverse.ratelimit.runtime.engine.call;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

class OutcomeWorstDenialTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Decision allowed = decision(null, Duration.ZERO);
    private final Decision unavailable = decision(DenialReason.REDIS_UNAVAILABLE, SECOND.multipliedBy(100));
    private final Decision shorter = decision(DenialReason.LIMIT_REACHED, SECOND);
    private final Decision longer = decision(DenialReason.LIMIT_REACHED, SECOND.plusNanos(1));
    private final Decision never = decision(DenialReason.COST_ABOVE_CAPACITY, Duration.ZERO);

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void denialsAreComparedInAnyOrder(boolean reversed) {
        assertThat(worst(reversed, unavailable, allowed)).isSameAs(unavailable);
        assertThat(worst(reversed, shorter, unavailable)).isSameAs(shorter);
        assertThat(worst(reversed, shorter, longer)).isSameAs(longer);
        assertThat(worst(reversed, never, longer)).isSameAs(never);
        assertThat(worst(reversed, never, unavailable)).isSameAs(never);
    }

    private static Decision worst(boolean reversed, Decision one, Decision other) {
        return new Outcome(reversed ? List.of(other, one) : List.of(one, other)).worstDenial();
    }

    private static Decision decision(DenialReason reason, Duration retryAfter) {
        Limit limit = Limit.tokenBucket(1).refill(1, SECOND);
        LimitState state = new LimitUsage("l0", limit, reason == null, 1, 0, Duration.ZERO, retryAfter, Duration.ZERO,
                Duration.ZERO);
        return Decision.recorded(policy("p", limit), "key", 0, 0, Source.REDIS, List.of(state), reason, Instant.EPOCH);
    }
}
