package io.quarkiverse.ratelimit.runtime.observe;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.util.TypeLiteral;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.runtime.engine.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.Effect;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.SyntheticCreationalContext;

/** Tells the application's observers of refusals, without waiting for them. */
public final class ExceededEvents implements DecisionObserver {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** How many events may wait for their observers. */
    private static final int MAX_ON_THEIR_WAY = 1_000;

    private final Event<RateLimitExceeded> event;
    private final RecentKeys told = new RecentKeys(10_000, TimeUnit.SECONDS.toNanos(1));
    private final Semaphore places = new Semaphore(MAX_ON_THEIR_WAY);

    ExceededEvents(Event<RateLimitExceeded> event) {
        this.event = event;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (effect != Effect.REFUSED || decision.limits().isEmpty() || !places.tryAcquire()) {
            return;
        }
        if (told.isNew(policy, decision.key(), System.nanoTime())) {
            try {
                fire(new RateLimitExceeded(decision));
            } catch (RuntimeException nobodyTakesIt) {
                places.release();
                throw nobodyTakesIt;
            }
        } else {
            places.release();
        }
    }

    private void fire(RateLimitExceeded exceeded) {
        event.fireAsync(exceeded).whenComplete((ignored, failure) -> {
            places.release();
            if (failure != null) {
                LOG.warn("An observer of RateLimitExceeded has failed", failure);
            }
        });
    }

    /** Makes it where the application has observers. */
    public static final class Creator implements BeanCreator<ExceededEvents> {

        @Override
        public ExceededEvents create(SyntheticCreationalContext<ExceededEvents> context) {
            return new ExceededEvents(context.getInjectedReference(new TypeLiteral<Event<RateLimitExceeded>>() {
            }));
        }
    }
}
