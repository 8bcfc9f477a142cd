package io.quarkiverse.ratelimit.runtime.engine.observers;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException.RedisResult;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.TimedStore;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;

/** A failing observer changes no result, and a warning says so once a minute. */
class ObserversFailingTest {

    private final Policy policy = policy("observed", Limit.tokenBucket(100).refill(1, Duration.ofHours(1)));
    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void failingObserverOfDecisionsIsReportedAndTheOthersAreNotified() {
        List<Effect> seen = new ArrayList<>();
        Observers observers = Observers.of(List.of((name, effect, decision) -> {
            throw new IllegalStateException("no meter");
        }, (name, effect, decision) -> seen.add(effect)));

        for (int call = 1; call <= 3; call++) {
            observers.ofThisCall().notifyOf(Outcome.NOT_LIMITED, List.of(policy));
        }

        assertThat(seen).containsExactly(Effect.EXEMPT, Effect.EXEMPT, Effect.EXEMPT);
        assertThat(log.warnings()).isEqualTo(1);
        assertThat(log.last()).startsWith("Observers of decisions fail");
    }

    @Test
    void failingObserverOfEachCallIsReportedOnceForAllCalls() {
        Observers observers = Observers.of(List.of(new FailingInEachCall()));

        for (int call = 1; call <= 3; call++) {
            observers.ofThisCall().notifyOf(Outcome.NOT_LIMITED, List.of(policy));
        }

        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void failingObserverOfRequestsToRedisIsReportedAndTheCallIsDecided() {
        List<RedisResult> seen = new ArrayList<>();
        LimitStore store = TimedStore.of(new LocalStore(() -> 0), List.of((result, nanos) -> {
            throw new IllegalStateException("no timer");
        }, (result, nanos) -> seen.add(result)));
        StoreRequest request = requestOf("caller", 1, policy);

        for (int call = 1; call <= 3; call++) {
            assertThat(request.allowedBy(store.decide(request).await().indefinitely())).isTrue();
        }

        assertThat(seen).containsExactly(RedisResult.OK, RedisResult.OK, RedisResult.OK);
        assertThat(log.warnings()).isEqualTo(1);
        assertThat(log.last()).startsWith("Observers of requests to Redis fail");
    }

    private static final class FailingInEachCall implements DecisionObserver.OfCalls {

        @Override
        public DecisionObserver ofThisCall() {
            return (policy, effect, decision) -> {
                throw new IllegalStateException("no span");
            };
        }

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            throw new IllegalStateException("not of a call");
        }
    }
}
