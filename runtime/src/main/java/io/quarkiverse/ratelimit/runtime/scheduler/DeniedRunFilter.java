package io.quarkiverse.ratelimit.runtime.scheduler;

import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.denial.Denial;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;

/**
 * Suppresses the error that Quarkus logs for each run of a scheduled method that a limit denies. A limit that skips runs
 * is no error, and the limiter logs each denial itself, at level DEBUG.
 */
@Singleton
public class DeniedRunFilter implements Filter {

    private static final Logger SCHEDULER = Logger.getLogger("io.quarkus.scheduler.common.runtime.StatusEmitterInvoker");

    private Filter others;

    /** Runs before the scheduler starts. */
    void install(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE - 1) StartupEvent starting) {
        others = SCHEDULER.getFilter();
        SCHEDULER.setFilter(this);
    }

    void uninstall(@Observes ShutdownEvent stopping) {
        SCHEDULER.setFilter(others);
    }

    @Override
    public boolean isLoggable(LogRecord entry) {
        return !(Denial.in(entry.getThrown()) instanceof RateLimitExceededException)
                && (others == null || others.isLoggable(entry));
    }
}
