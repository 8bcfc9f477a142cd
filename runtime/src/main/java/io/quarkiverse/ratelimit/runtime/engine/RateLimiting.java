package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.GuardedMethods;
import io.quarkiverse.ratelimit.runtime.redis.RedisClients;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.settings.SettingsReader;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkus.runtime.Startup;
import io.smallrye.config.SmallRyeConfig;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** Puts the limiter together when the application starts, and takes it apart when it stops. */
@Startup
@Singleton
public class RateLimiting {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Settings settings;
    private final Guards guards;
    private final LimiterClock clock = new LimiterClock();
    private final LocalStore local = new LocalStore(clock.ofThisInstance(Clock.systemUTC()));
    private final Optional<RedisStore> redis;
    private final Engine engine;

    RateLimiting(RateLimitConfig config, RateLimitBuildTimeConfig buildTime, GuardedMethods methods, Vertx vertx,
            RedisClients clients) {
        SmallRyeConfig source = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);
        settings = SettingsReader.read(config, source, methods.methods());
        guards = new Guards(methods.methods(), settings);
        redis = settings.enabled() && !settings.policies().isEmpty()
                ? Optional.of(connect(vertx, clients.of(buildTime.redisClient())))
                : Optional.empty();
        engine = new Engine(redis.map(LimitStore.class::cast).orElse(local), local);
        LOG.infof("Rate limits are %s: policies %s, guarded methods %d", settings.enabled() ? "on" : "off",
                settings.policies().keySet(), methods.methods().size());
    }

    /** Waits for the first connection, so that the first calls need not; not for long where Redis is away. */
    private RedisStore connect(Vertx vertx, Supplier<Redis> clients) {
        RedisStore store = new RedisStore(vertx, clients, settings.keyPrefix(), settings.timeout(), clock,
                Clock.systemUTC());
        try {
            store.open().toCompletableFuture().get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException stillAway) {
            LOG.debug("Redis is not connected yet");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return store;
    }

    @Produces
    @Singleton
    Settings settings() {
        return settings;
    }

    @Produces
    @Singleton
    Guards guards() {
        return guards;
    }

    @Produces
    @Singleton
    Engine engine() {
        return engine;
    }

    @Produces
    @Singleton
    LimiterClock clock() {
        return clock;
    }

    @Produces
    @Singleton
    LocalStore local() {
        return local;
    }

    @PreDestroy
    void stop() {
        redis.ifPresent(RedisStore::close);
    }
}
