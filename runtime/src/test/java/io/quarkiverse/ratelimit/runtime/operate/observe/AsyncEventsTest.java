package io.quarkiverse.ratelimit.runtime.operate.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.NotificationOptions;
import jakarta.enterprise.util.TypeLiteral;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;

class AsyncEventsTest {

    private static final int MORE_THAN_MAY_WAIT = 1_001;

    private final Rejecting rejecting = new Rejecting();
    private final AsyncEvents.ExceededLimits events = new AsyncEvents.ExceededLimits(rejecting, new LimiterClock());

    @Test
    void rejectedEventsLeaveRoomForOthers() {
        for (int caller = 0; caller < MORE_THAN_MAY_WAIT; caller++) {
            String rejected = "rejected" + caller;
            assertThatThrownBy(() -> deny(rejected)).isInstanceOf(RejectedExecutionException.class);
        }

        rejecting.rejects = false;
        deny("taken");

        assertThat(rejecting.fired).containsExactly("taken");
    }

    private void deny(String caller) {
        LimitState state = new LimitUsage("default", Limit.tokenBucket(1).refill(1, Duration.ofHours(1)), false, 1, 0,
                Duration.ZERO, Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1));
        events.decided("policy", Effect.DENIED,
                Decision.recorded(StoreRequests.policy("policy", Limit.concurrency(1)), caller, 0, 0, Source.REDIS,
                        List.of(state), RateLimitDecision.DenialReason.LIMIT_REACHED, Instant.EPOCH));
    }

    /** As where all threads are busy and no more work may wait for them. */
    private static final class Rejecting implements Event<RateLimitExceeded> {

        private final List<String> fired = new ArrayList<>();
        private boolean rejects = true;

        @Override
        public <U extends RateLimitExceeded> CompletionStage<U> fireAsync(U event) {
            if (rejects) {
                throw new RejectedExecutionException();
            }
            fired.add(event.decision().key());
            return CompletableFuture.completedFuture(event);
        }

        @Override
        public <U extends RateLimitExceeded> CompletionStage<U> fireAsync(U event, NotificationOptions options) {
            return fireAsync(event);
        }

        @Override
        public void fire(RateLimitExceeded event) {
            fireAsync(event);
        }

        @Override
        public Event<RateLimitExceeded> select(Annotation... qualifiers) {
            return this;
        }

        @Override
        public <U extends RateLimitExceeded> Event<U> select(Class<U> subtype, Annotation... qualifiers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <U extends RateLimitExceeded> Event<U> select(TypeLiteral<U> subtype, Annotation... qualifiers) {
            throw new UnsupportedOperationException();
        }
    }
}
