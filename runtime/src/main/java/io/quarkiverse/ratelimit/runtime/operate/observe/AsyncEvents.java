package io.quarkiverse.ratelimit.runtime.operate.observe;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkus.arc.DefaultBean;
import io.quarkus.arc.impl.DefaultAsyncObserverExceptionHandler;

/** Fires events of one type to asynchronous observers, and does not wait for them. */
public final class AsyncEvents<E> {

    /** Largest number of events whose observers have not finished. Further events are dropped. */
    private static final int MAX_UNFINISHED = 1_000;

    private final Event<E> event;
    private final FailureLog failures;
    private final Semaphore places = new Semaphore(MAX_UNFINISHED);

    private AsyncEvents(Event<E> event, Class<E> type) {
        this.event = event;
        this.failures = new FailureLog(type.getSimpleName());
    }

    private void fire(E fired) {
        if (!places.tryAcquire()) {
            return;
        }
        try {
            event.fireAsync(fired).whenComplete((ignored, failure) -> {
                places.release();
                if (failure != null) {
                    failures.failed(failure);
                }
            });
        } catch (RuntimeException executorStopped) {
            places.release();
            throw executorStopped;
        }
    }

    /** Fires an event for denials, at most one per second for a key. */
    @Singleton
    public static final class ExceededLimits implements DecisionObserver.OfDenials {

        private final AsyncEvents<RateLimitExceeded> events;
        private final RecentKeys<LimitKey> recent = new RecentKeys<>(Duration.ofSeconds(1));
        private final LimiterClock clock;

        ExceededLimits(Event<RateLimitExceeded> event, LimiterClock clock) {
            this.events = new AsyncEvents<>(event, RateLimitExceeded.class);
            this.clock = clock;
        }

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            if (effect == Effect.DENIED && !decision.limits().isEmpty()
                    && recent.isNew(new LimitKey(policy, "", decision.key()), clock.nanoTime())) {
                events.fire(new RateLimitExceeded(decision));
            }
        }
    }

    /** Fires an event for approached limits of enforced policies. */
    @Singleton
    public static final class EnforcedLimits implements ApproachedLimits.Listener {

        private final AsyncEvents<RateLimitApproached> events;

        EnforcedLimits(Event<RateLimitApproached> event) {
            this.events = new AsyncEvents<>(event, RateLimitApproached.class);
        }

        @Override
        public void approached(Policy policy, RateLimitApproached approached) {
            if (policy.mode() == Mode.ENFORCE) {
                events.fire(approached);
            }
        }
    }

    /**
     * Prevents Quarkus from logging each failure of an observer of the limiter's events, because {@link AsyncEvents} does.
     * Precedes the default handler of Quarkus, and is replaced by a handler of the application.
     */
    @Singleton
    @DefaultBean
    @Priority(1)
    public static final class Failures extends DefaultAsyncObserverExceptionHandler {

        @Override
        public void handle(Throwable failure, ObserverMethod<?> observer, EventContext<?> context) {
            if (!(context.getEvent() instanceof RateLimitExceeded || context.getEvent() instanceof RateLimitApproached)) {
                super.handle(failure, observer, context);
            }
        }
    }
}
