package io.quarkiverse.ratelimit.runtime.observe;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.util.TypeLiteral;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.engine.denials.KeyOfPolicy;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.Effect;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.SyntheticCreationalContext;

/** Fires an event for denials, at most one per second for a key, and does not wait for the observers. */
public final class ExceededEvents implements DecisionObserver {

    /** The most events whose observers have not finished. Further events are dropped. */
    private static final int MAX_UNFINISHED = 1_000;

    private final Event<RateLimitExceeded> event;
    private final RecentKeys<KeyOfPolicy> recent = new RecentKeys<>(10_000, TimeUnit.SECONDS.toNanos(1));
    private final Semaphore places = new Semaphore(MAX_UNFINISHED);
    private final FailureLog failures = new FailureLog("RateLimitExceeded");
    private final LongSupplier nanoTime;

    ExceededEvents(Event<RateLimitExceeded> event, LongSupplier nanoTime) {
        this.event = event;
        this.nanoTime = nanoTime;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (effect != Effect.DENIED || decision.limits().isEmpty() || !places.tryAcquire()) {
            return;
        }
        if (recent.isNew(new KeyOfPolicy(policy, decision.key()), nanoTime.getAsLong())) {
            try {
                fire(new RateLimitExceeded(decision));
            } catch (RuntimeException executorStopped) {
                places.release();
                throw executorStopped;
            }
        } else {
            places.release();
        }
    }

    private void fire(RateLimitExceeded exceeded) {
        event.fireAsync(exceeded).whenComplete((ignored, failure) -> {
            places.release();
            if (failure != null) {
                failures.failed(failure);
            }
        });
    }

    /** Creates the bean if the application has observers. */
    public static final class Creator implements BeanCreator<ExceededEvents> {

        @Override
        public ExceededEvents create(SyntheticCreationalContext<ExceededEvents> context) {
            return new ExceededEvents(context.getInjectedReference(new TypeLiteral<Event<RateLimitExceeded>>() {
            }), System::nanoTime);
        }
    }
}
