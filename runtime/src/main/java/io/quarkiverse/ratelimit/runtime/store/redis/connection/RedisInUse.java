package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import java.util.Optional;

import io.quarkus.runtime.configuration.ConfigurationException;

/** Shows the Redis that the limiter uses, if any. */
public interface RedisInUse {

    /** Returns the last known health of Redis, without a request to it; empty where the limiter does not use Redis. */
    Optional<RedisHealth> health();

    /** @throws ConfigurationException when the limiter needs Redis, but its location is not configured */
    void require();
}
