package io.quarkiverse.ratelimit.runtime.operate.observe;

import jakarta.inject.Singleton;

import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisInUse;

/**
 * Reports the last known state of the limiter's Redis, without a request to Redis. The check is always up, because
 * {@code on-redis-failure} decides calls while Redis is unavailable.
 */
@Readiness
@Singleton
public record LimiterHealth(RedisInUse redis, Settings settings) implements HealthCheck {

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder health = HealthCheckResponse.named("Rate limits").up()
                .withData("rate-limits", settings.enabled() ? "on" : "off");
        if (settings.countsInMemory()) {
            health.withData("store", "memory");
        } else if (settings.enabled()) {
            health.withData("on-redis-failure", onRedisFailure());
            redis.health().ifPresentOrElse(known -> describe(known, health), () -> health.withData("redis", "not used"));
        }
        return health.build();
    }

    private String onRedisFailure() {
        return settings.policies().values().stream().filter(Policy::enabled)
                .map(policy -> policy.name() + "=" + Policy.written(policy.onRedisFailure()))
                .reduce((policies, next) -> policies + ", " + next).orElse("no policies");
    }

    private static void describe(RedisHealth redis, HealthCheckResponseBuilder health) {
        health.withData("redis", condition(redis));
        for (UnavailableNode unavailable : redis.unavailable()) {
            String of = unavailable.address().isEmpty() ? "" : " of " + unavailable.address();
            health.withData("unavailable-for-seconds" + of, unavailable.since().toSeconds());
            health.withData("reason" + of, unavailable.reason());
        }
    }

    static String condition(RedisHealth redis) {
        if (redis.unavailable().isEmpty()) {
            return redis.hasConnected() ? "connected" : "not connected yet";
        }
        return redis.unavailable().size() < redis.nodes() ? "partly unavailable" : "unavailable";
    }
}
