package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jboss.logging.Logger;
import org.jboss.logging.Logger.Level;

/** Logs the number of failures of one kind, at most once per minute. */
public final class FailureLog {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private final Level level;
    private final String message;
    private long unlogged;
    /** Time of the last log message, by {@link System#nanoTime}; {@code null} before the first one. */
    private Long loggedAt;

    /** @param observers what the failing beans observe, such as an event */
    public FailureLog(String observers) {
        this(Level.WARN, "Observers of " + observers + " fail");
    }

    public FailureLog(Level level, String message) {
        this.level = level;
        this.message = message;
    }

    public static FailureLog ofMistakes() {
        return new FailureLog(Level.ERROR, "A mistake in code, not Redis, prevents decisions of rate limits. on-redis-failure"
                + " decides these calls. Please report this exception");
    }

    /** Counts a failure of a store that is not one of Redis, and so is a mistake in code. */
    public void failedUnlessRedis(Throwable failure) {
        if (!(failure instanceof RedisStoreException)) {
            failed(failure);
        }
    }

    /** Notifies all observers, and counts their failures. */
    public <T> void notify(List<T> observers, Consumer<T> event) {
        for (T observer : observers) {
            try {
                event.accept(observer);
            } catch (RuntimeException e) {
                failed(e);
            }
        }
    }

    /** Counts one failure. After the pause, logs it with the number of failures since the last log message. */
    public void failed(Throwable failure) {
        failed(failure, System.nanoTime());
    }

    void failed(Throwable failure, long now) {
        LOG.debug(message, failure);
        long count = count(now);
        if (count > 0) {
            LOG.logf(level, failure,
                    "%s. Failures since this was last logged: %d. It is logged at most once per minute; DEBUG shows each"
                            + " failure. The latest failure",
                    message, count);
        }
    }

    /** Counts one failure that has no exception to show. After the pause, logs this text. */
    public void failed(String latest) {
        LOG.debug(latest);
        long count = count(System.nanoTime());
        if (count > 0) {
            LOG.log(level, count == 1 ? latest : latest + " Failures since this was last logged: " + count + ".");
        }
    }

    /** Counts one failure. Returns the number to log; 0 during the pause. */
    private synchronized long count(long now) {
        unlogged++;
        if (loggedAt != null && now - loggedAt < PAUSE) {
            return 0;
        }
        long count = unlogged;
        unlogged = 0;
        loggedAt = now;
        return count;
    }
}
