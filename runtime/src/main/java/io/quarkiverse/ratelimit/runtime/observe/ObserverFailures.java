package io.quarkiverse.ratelimit.runtime.observe;

import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;

import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkus.arc.AsyncObserverExceptionHandler;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.SyntheticCreationalContext;
import io.quarkus.arc.impl.DefaultAsyncObserverExceptionHandler;

/**
 * Prevents Quarkus from logging each failure of an observer of {@link RateLimitExceeded}, because {@link ExceededEvents}
 * logs them. Passes failures for other events to the default handler of Quarkus.
 */
public final class ObserverFailures implements AsyncObserverExceptionHandler {

    private final AsyncObserverExceptionHandler ofOtherEvents = new DefaultAsyncObserverExceptionHandler();

    @Override
    public void handle(Throwable failure, ObserverMethod<?> observer, EventContext<?> context) {
        if (!(context.getEvent() instanceof RateLimitExceeded)) {
            ofOtherEvents.handle(failure, observer, context);
        }
    }

    /** Creates the bean if the application has observers. */
    public static final class Creator implements BeanCreator<ObserverFailures> {

        @Override
        public ObserverFailures create(SyntheticCreationalContext<ObserverFailures> context) {
            return new ObserverFailures();
        }
    }
}
