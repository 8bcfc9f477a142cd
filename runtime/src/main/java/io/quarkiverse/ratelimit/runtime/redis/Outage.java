package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jboss.logging.Logger;

/** Logs once when Redis goes away and once when it is back, however many lanes notice. */
final class Outage {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final AtomicReference<Long> since = new AtomicReference<>();

    void begin(Throwable cause) {
        if (since.compareAndSet(null, System.nanoTime())) {
            LOG.warnf("Redis is away, rate limits are decided by on-redis-failure until it is back: %s", cause.getMessage());
        }
    }

    void end() {
        Long began = since.getAndSet(null);
        if (began != null) {
            LOG.infof("Redis is back after %d ms, rate limits are decided there again",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        }
    }
}
