package io.quarkiverse.ratelimit.runtime.engine.events;

import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;

/** Logs exceptions of a store that are not failures of Redis but mistakes in code, at most once per minute. */
public final class MistakeLog {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final LongSupplier nanoTime;
    private final OncePerMinute mistakes = new OncePerMinute();

    /** @param nanoTime {@link System#nanoTime} */
    public MistakeLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Counts the exception, unless it is a failure of Redis, and logs it after the pause. */
    public void failed(Throwable failure) {
        long count = failure instanceof RedisStoreException ? 0 : mistakes.count(nanoTime.getAsLong());
        if (count > 0) {
            LOG.errorf(failure,
                    "A mistake in code, not Redis, prevents decisions of rate limits. on-redis-failure decides these calls."
                            + " Please report this exception. Exceptions since this was last logged: %d. It is logged at"
                            + " most once per minute. The latest:",
                    count);
        }
    }
}
