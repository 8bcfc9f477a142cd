package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Tells the limiter's own clients from those of the application that have the same configuration: they are measured apart,
 * and their commands are traced nowhere, as each answers questions of many calls.
 */
@Singleton
public class OwnOptions implements RedisOptionsCustomizer {

    private final ThreadLocal<Boolean> making = new ThreadLocal<>();

    /** Makes a client of the limiter. */
    Redis make(Supplier<Redis> client) {
        making.set(true);
        try {
            return client.get();
        } finally {
            making.remove();
        }
    }

    @Override
    public void customize(String clientName, RedisOptions options) {
        if (making.get() != null) {
            options.setTracingPolicy(TracingPolicy.IGNORE).setPoolName("rate-limit");
        }
    }
}
