package io.quarkiverse.ratelimit.runtime.observe;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.util.TypeLiteral;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.SyntheticCreationalContext;

/** Fires an event when a limit of an enforced policy is approached. */
public final class ApproachedEvents implements ApproachedLimits.Listener {

    private final AsyncEvents<RateLimitApproached> events;

    private ApproachedEvents(Event<RateLimitApproached> event) {
        this.events = new AsyncEvents<>(event, RateLimitApproached.class);
    }

    @Override
    public void approached(Policy policy, RateLimitApproached approached) {
        if (policy.mode() == Mode.ENFORCE) {
            events.fire(approached);
        }
    }

    /** Creates the bean if the application has observers. */
    public static final class Creator implements BeanCreator<ApproachedEvents> {

        @Override
        public ApproachedEvents create(SyntheticCreationalContext<ApproachedEvents> context) {
            return new ApproachedEvents(context.getInjectedReference(new TypeLiteral<Event<RateLimitApproached>>() {
            }));
        }
    }
}
