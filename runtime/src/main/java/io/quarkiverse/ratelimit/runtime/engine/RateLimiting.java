package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
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

    private final Settings settings;
    private final Guards guards;
    private final RedisStore redis;
    private final Engine engine;

    RateLimiting(RateLimitConfig config, RateLimitBuildTimeConfig buildTime, GuardedMethods methods, Vertx vertx,
            RedisClients clients) {
        SmallRyeConfig source = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class);
        settings = SettingsReader.read(config, source, methods.methods());
        guards = new Guards(methods.methods(), settings);
        Supplier<Redis> client = clients.of(buildTime.redisClient());
        redis = new RedisStore(vertx, client, settings.keyPrefix(), settings.timeout(), Duration.ZERO);
        engine = new Engine(redis, new LocalStore(System::nanoTime));
        if (settings.enabled() && !settings.policies().isEmpty()) {
            redis.open();
            LOG.infof("Rate limits: %d policies, %d guarded methods", settings.policies().size(), methods.methods().size());
        }
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

    @PreDestroy
    void stop() {
        redis.close();
    }
}
