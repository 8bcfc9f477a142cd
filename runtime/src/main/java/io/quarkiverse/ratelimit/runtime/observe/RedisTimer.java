package io.quarkiverse.ratelimit.runtime.observe;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkiverse.ratelimit.runtime.engine.events.RedisObserver;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException.RedisResult;

/** Measures the duration of requests to Redis, with one timer per result. */
@Singleton
public class RedisTimer implements RedisObserver {

    private final Map<RedisResult, Timer> byResult = new EnumMap<>(RedisResult.class);

    RedisTimer(MeterRegistry registry) {
        for (RedisResult result : RedisResult.values()) {
            byResult.put(result, Timer.builder("rate.limit.redis").tag("result", result.name().toLowerCase(Locale.ROOT))
                    .description("How long the rate limiter's Redis takes to reply").register(registry));
        }
    }

    @Override
    public void replied(RedisResult result, long nanos) {
        byResult.get(result).record(nanos, TimeUnit.NANOSECONDS);
    }
}
