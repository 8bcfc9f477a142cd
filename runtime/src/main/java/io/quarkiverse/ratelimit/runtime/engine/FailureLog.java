package io.quarkiverse.ratelimit.runtime.engine;

import org.jboss.logging.Logger;

/** Logs the number of failures of observers, at most once per minute. */
public final class FailureLog {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final String observers;
    private final OncePerMinute failures = new OncePerMinute();

    /** @param observers what the failing beans observe, such as an event */
    public FailureLog(String observers) {
        this.observers = observers;
    }

    /** Counts one failure. After the pause, logs it with the number of failures since the last log message. */
    public void failed(Throwable failure, long now) {
        LOG.debugf(failure, "An observer of %s failed", observers);
        long count = failures.count(now);
        if (count > 0) {
            LOG.warnf(failure,
                    "Observers of %s fail. Failures since this was last logged: %d. It is logged at most"
                            + " once per minute; DEBUG shows each failure. The latest:",
                    observers, count);
        }
    }
}
