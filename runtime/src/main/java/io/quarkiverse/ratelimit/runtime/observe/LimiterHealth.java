package io.quarkiverse.ratelimit.runtime.observe;

import java.util.Locale;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

import io.quarkiverse.ratelimit.runtime.engine.RateLimiting;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.redis.RedisState;
import io.quarkiverse.ratelimit.runtime.redis.RedisState.Away;
import io.quarkiverse.ratelimit.runtime.settings.Settings;

/**
 * Tells how the limiter's Redis is, as far as that is known without asking it. It is always up, as the application goes on by
 * {@code on-redis-failure}.
 */
@Readiness
@Singleton
public class LimiterHealth implements HealthCheck {

    private final RateLimiting limiting;
    private final Settings settings;

    LimiterHealth(RateLimiting limiting, Settings settings) {
        this.limiting = limiting;
        this.settings = settings;
    }

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder health = HealthCheckResponse.named("Rate limits").up()
                .withData("rate-limits", settings.enabled() ? "on" : "off");
        if (settings.enabled()) {
            health.withData("on-redis-failure", onRedisFailure());
            limiting.redisState().ifPresentOrElse(state -> tell(state, health), () -> health.withData("redis", "not used"));
        }
        return health.build();
    }

    private String onRedisFailure() {
        String policies = settings.policies().values().stream().filter(Policy::enabled)
                .map(policy -> policy.name() + "=" + policy.onRedisFailure().name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
        return policies.isEmpty() ? "no policies" : policies;
    }

    private static void tell(RedisState state, HealthCheckResponseBuilder health) {
        health.withData("redis", condition(state));
        for (Away away : state.away()) {
            String of = away.address().isEmpty() ? "" : " of " + away.address();
            health.withData("away-for-seconds" + of, away.since().toSeconds());
            health.withData("reason" + of, away.reason());
        }
    }

    static String condition(RedisState state) {
        if (state.away().isEmpty()) {
            return state.connected() ? "connected" : "not connected yet";
        }
        return state.away().size() < state.nodes() ? "partly away" : "away";
    }
}
