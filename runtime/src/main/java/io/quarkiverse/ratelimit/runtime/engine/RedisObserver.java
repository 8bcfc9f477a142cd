package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.redis.RedisResult;

/** Is told how long questions to Redis took. Every bean of this type is: it must not block, and may be told on any thread. */
@FunctionalInterface
public interface RedisObserver {

    /** @param nanos until it was answered or given up */
    void asked(RedisResult result, long nanos);
}
