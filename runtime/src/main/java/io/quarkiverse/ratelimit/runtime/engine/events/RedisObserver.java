package io.quarkiverse.ratelimit.runtime.engine.events;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException.RedisResult;

/**
 * Observes how long requests to Redis take. Methods may run on any thread and must not block. The limiter notifies
 * every bean of this type.
 */
@FunctionalInterface
public interface RedisObserver {

    /** @param nanos the time until the reply or the failure */
    void replied(RedisResult result, long nanos);
}
