package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.core.tracing.TracingPolicy;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Sets options of the limiter's own clients, which share their configuration with clients of the application. They get their
 * own metrics. Their commands are not traced, because each command serves many calls.
 */
@Singleton
public class LimiterClientOptions implements RedisOptionsCustomizer {

    private final ThreadLocal<Boolean> making = new ThreadLocal<>();

    /** Creates a client of the limiter. */
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
