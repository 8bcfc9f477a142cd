package io.quarkiverse.ratelimit.test;

import java.time.Duration;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.redis.RedisClients;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;

/**
 * Lets a {@code @QuarkusTest} begin with fresh limits and let their time pass without sleeping, on the real scripts and
 * the real Redis.
 *
 * <pre>
 * &#64;Inject
 * RateLimitTesting limits;
 *
 * &#64;BeforeEach
 * void freshLimits() {
 *     limits.reset();
 * }
 * </pre>
 *
 * All methods block until they are done, and affect the application under test and every key under its
 * {@code quarkus.rate-limit.key-prefix}: keep them away from a Redis that others use.
 */
@Singleton
public class RateLimitTesting {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final LimiterClock clock;
    private final LocalStore local;
    private final Engine engine;
    private final StoredLimits stored;

    RateLimitTesting(LimiterClock clock, LocalStore local, Engine engine, RedisClients clients,
            RateLimitBuildTimeConfig config, Settings settings) {
        this.engine = engine;
        this.clock = clock;
        this.local = local;
        this.stored = new StoredLimits(() -> clients.holdingKeys(config.redisClient()), settings.keyPrefix());
    }

    /**
     * Forgets all that was counted and overridden, and sets the limiter's clock right again.
     *
     * @throws IllegalStateException when Redis does not answer within 10 s
     */
    public void reset() {
        engine.releaseAll().await().atMost(LONGEST_WAIT);
        clock.reset();
        local.forgetAll();
        stored.forgetAll();
        engine.forgetDenials();
        engine.refreshOverrides().await().atMost(LONGEST_WAIT);
    }

    /**
     * Moves the limiter's clock ahead.
     *
     * @param time not negative; whole microseconds count
     */
    public void advance(Duration time) {
        clock.advance(time);
    }
}
