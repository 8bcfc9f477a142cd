package io.quarkiverse.ratelimit.runtime.redis;

import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.vertx.core.impl.ContextInternal;

/**
 * Leaves out of the log what the client says of each of the limiter's tries to connect that breaks off: an {@link Outage}
 * is said once.
 */
final class BrokenTries implements Filter {

    private static final Logger CLIENT = Logger.getLogger("io.vertx.redis.client.impl.RedisConnectionManager");

    /** Says that only the limiter connects to Redis in this context. */
    static void areSilentIn(ContextInternal loop) {
        CLIENT.setFilter(new BrokenTries());
        loop.contextData().put(BrokenTries.class, true);
    }

    @Override
    public boolean isLoggable(LogRecord entry) {
        ContextInternal current = ContextInternal.current();
        return current == null || !current.unwrap().contextData().containsKey(BrokenTries.class);
    }
}
