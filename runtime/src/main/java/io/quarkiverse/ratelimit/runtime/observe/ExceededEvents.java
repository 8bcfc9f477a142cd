package io.quarkiverse.ratelimit.runtime.observe;

import java.time.Duration;
import java.util.function.LongSupplier;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.util.TypeLiteral;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.engine.denials.KeyOfPolicy;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.SyntheticCreationalContext;

/** Fires an event for denials, at most one per second for a key. */
public final class ExceededEvents implements DecisionObserver {

    private final AsyncEvents<RateLimitExceeded> events;
    private final RecentKeys<KeyOfPolicy> recent = new RecentKeys<>(Duration.ofSeconds(1));
    private final LongSupplier nanoTime;

    ExceededEvents(Event<RateLimitExceeded> event, LongSupplier nanoTime) {
        this.events = new AsyncEvents<>(event, RateLimitExceeded.class);
        this.nanoTime = nanoTime;
    }

    @Override
    public boolean ignoresAllowed() {
        return true;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (effect == Effect.DENIED && !decision.limits().isEmpty()
                && recent.isNew(new KeyOfPolicy(policy, decision.key()), nanoTime.getAsLong())) {
            events.fire(new RateLimitExceeded(decision));
        }
    }

    /** Creates the bean if the application has observers. */
    public static final class Creator implements BeanCreator<ExceededEvents> {

        @Override
        public ExceededEvents create(SyntheticCreationalContext<ExceededEvents> context) {
            return new ExceededEvents(context.getInjectedReference(new TypeLiteral<Event<RateLimitExceeded>>() {
            }), context.getInjectedReference(LimiterClock.class)::nanoTime);
        }
    }
}
