package io.quarkiverse.ratelimit.runtime.engine.observers;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.OfCalls;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.OfDenials;

class ObserversTest {

    private static final Outcome DENIED = new Outcome(List.of(Decision.uncounted(
            policy("search", Limit.tokenBucket(3).refill(1, Duration.ofDays(1))), "", 0, Source.REDIS,
            DenialReason.MISSING_KEY)));

    private final List<String> notified = new ArrayList<>();

    @Test
    void observerOfDenialsMayHaveItsOwnForEachCall() {
        Observers observers = Observers.of(List.of(new DenialsOfCalls()));

        observers.ofThisCall().notifyOf(DENIED, List.of());

        assertThat(notified).containsExactly("of the call");
    }

    private final class DenialsOfCalls implements OfDenials, OfCalls {

        @Override
        public DecisionObserver ofThisCall() {
            return (policy, effect, decision) -> notified.add("of the call");
        }

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            notified.add("of all calls");
        }
    }
}
