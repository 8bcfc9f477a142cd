package io.quarkiverse.ratelimit.runtime.redis;

import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import io.vertx.core.impl.ContextInternal;

/**
 * Suppresses the client's log entry for each failed attempt of the limiter to connect. {@link Outage} logs a failure once.
 */
final class ConnectLogFilter implements Filter {

    private static final Logger CLIENT = Logger.getLogger("io.vertx.redis.client.impl.RedisConnectionManager");

    /** Suppresses these entries in a context where only the limiter connects to Redis. */
    static void areSilentIn(ContextInternal loop) {
        CLIENT.setFilter(new ConnectLogFilter());
        loop.contextData().put(ConnectLogFilter.class, true);
    }

    @Override
    public boolean isLoggable(LogRecord entry) {
        ContextInternal current = ContextInternal.current();
        return current == null || !current.unwrap().contextData().containsKey(ConnectLogFilter.class);
    }
}
