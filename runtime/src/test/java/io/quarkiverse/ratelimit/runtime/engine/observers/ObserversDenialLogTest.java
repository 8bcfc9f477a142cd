package io.quarkiverse.ratelimit.runtime.engine.observers;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers.DenialLog;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.vertx.core.Vertx;

class ObserversDenialLogTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Limit THREE = Limit.tokenBucket(3).refill(1, Duration.ofDays(1));

    @ParameterizedTest
    @CsvSource({
            "LIMIT_REACHED, limit reached",
            "COST_ABOVE_CAPACITY, cost above capacity",
            "BLOCKED, blocked",
            "REDIS_UNAVAILABLE, Redis unavailable"
    })
    void reasonIsLogged(DenialReason reason, String words) {
        Decision denial = denial("ip=192.0.2.1", reason, List.of());

        assertThat(DenialLog.message("search", Effect.DENIED, denial))
                .isEqualTo("Policy search denies ip=192.0.2.1: " + words);
        assertThat(DenialLog.message("search", Effect.SHADOW_DENIED, denial))
                .isEqualTo("Policy search would deny ip=192.0.2.1: " + words);
    }

    @Test
    void callOfPolicyWithoutCallersIsLogged() {
        Decision denial = denial("", DenialReason.LIMIT_REACHED, List.of());

        assertThat(DenialLog.message("search", Effect.DENIED, denial)).isEqualTo("Policy search denies a call: limit reached");
    }

    @Test
    void missingKeyIsLogged() {
        Decision denial = Decision.uncounted(policy("search", THREE), "", 0, Source.REDIS, DenialReason.MISSING_KEY);

        assertThat(DenialLog.message("search", Effect.DENIED, denial)).isEqualTo("Policy search denies a call: missing key");
    }

    @Test
    void limitIsNamedWhereThePolicyHasSeveral() {
        Policy policy = policy("search", Limit.fixedWindow(100, SECOND), THREE);
        Vertx vertx = Vertx.vertx();
        try {
            LocalStore store = new LocalStore(() -> 1_763_640_000_000_000L);
            Decision denied = new TestLimiter(store, store, vertx, SECOND)
                    .decide(policy, "ip=192.0.2.1", PermitRequest.of(4)).decisions().get(0);

            assertThat(DenialLog.message("search", Effect.DENIED, denied))
                    .isEqualTo("Policy search denies ip=192.0.2.1: cost above capacity (l1)");
            // no limit has blocked the key
            Decision blocked = denial("ip=192.0.2.1", DenialReason.BLOCKED, denied.limits());
            assertThat(DenialLog.message("search", Effect.DENIED, blocked))
                    .isEqualTo("Policy search denies ip=192.0.2.1: blocked");
        } finally {
            vertx.close();
        }
    }

    private static Decision denial(String key, DenialReason reason, List<LimitState> limits) {
        return Decision.recorded(policy("search", THREE), key, 0, 0, Source.REDIS, limits, reason, Instant.EPOCH);
    }
}
