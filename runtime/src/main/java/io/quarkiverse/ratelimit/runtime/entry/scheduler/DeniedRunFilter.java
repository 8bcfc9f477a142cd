package io.quarkiverse.ratelimit.runtime.entry.scheduler;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.quarkiverse.ratelimit.runtime.platform.LogFilter;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;

/**
 * Suppresses the error that Quarkus logs for each run of a scheduled method that a limit denies. A limit that skips runs
 * is no error, and the limiter logs each denial itself, at level DEBUG.
 */
@Singleton
public class DeniedRunFilter {

    private final LogFilter filter = new LogFilter("io.quarkus.scheduler.common.runtime.StatusEmitterInvoker",
            entry -> Denial.in(entry.getThrown()) instanceof RateLimitExceededException);

    /** Runs before the scheduler starts. */
    void begin(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE - 1) StartupEvent starting) {
        filter.install();
    }

    void end(@Observes ShutdownEvent stopping) {
        filter.uninstall();
    }
}
