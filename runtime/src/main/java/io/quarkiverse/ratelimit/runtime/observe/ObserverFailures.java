package io.quarkiverse.ratelimit.runtime.observe;

import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkus.arc.AsyncObserverExceptionHandler;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.SyntheticCreationalContext;

/**
 * Prevents Quarkus from logging each failure of an observer of the limiter's events, because {@link AsyncEvents} logs them.
 * Logs failures for other events as the default handler of Quarkus does, which this bean replaces.
 */
public final class ObserverFailures implements AsyncObserverExceptionHandler {

    private static final Logger LOG = Logger.getLogger(AsyncObserverExceptionHandler.class);

    @Override
    public void handle(Throwable failure, ObserverMethod<?> observer, EventContext<?> context) {
        Object event = context.getEvent();
        if (!(event instanceof RateLimitExceeded || event instanceof RateLimitApproached)) {
            String type = context.getMetadata().getType().getTypeName();
            LOG.errorf("Failure occurred while notifying an async %s for event of type %s%n"
                    + "- please enable debug logging to see the full stack trace", observer, type);
            LOG.debugf(failure, "Failure occurred while notifying an async %s for event of type %s", observer, type);
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
