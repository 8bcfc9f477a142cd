package io.quarkiverse.ratelimit.runtime.engine.events;

import org.jboss.logging.Logger;
import org.jboss.logging.Logger.Level;

/** Logs the number of failures of one kind, at most once per minute. */
public final class FailureLog {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final Level level;
    private final String message;
    private final OncePerMinute failures = new OncePerMinute();

    /** @param observers what the failing beans observe, such as an event */
    public FailureLog(String observers) {
        this(Level.WARN, "Observers of " + observers + " fail");
    }

    /** @param message what fails */
    public FailureLog(Level level, String message) {
        this.level = level;
        this.message = message;
    }

    /** Counts one failure. After the pause, logs it with the number of failures since the last log message. */
    public void failed(Throwable failure, long now) {
        LOG.debug(message, failure);
        long count = failures.count(now);
        if (count > 0) {
            LOG.logf(level, failure,
                    "%s. Failures since this was last logged: %d. It is logged at most once per minute; DEBUG shows each"
                            + " failure. The latest:",
                    message, count);
        }
    }
}
