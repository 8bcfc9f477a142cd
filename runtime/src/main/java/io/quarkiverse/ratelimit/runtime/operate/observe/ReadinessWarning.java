package io.quarkiverse.ratelimit.runtime.operate.observe;

import java.util.List;
import java.util.Map;

import jakarta.enterprise.inject.Any;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.eclipse.microprofile.health.HealthCheck;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.RedisClients;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.runtime.Startup;
import io.quarkus.runtime.configuration.ConfigBuilder;
import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/**
 * Warns at the start if the readiness check of Quarkus' Redis extension would take the application out of service while
 * the limiter's Redis is unavailable, although policies allow calls without Redis.
 */
@Startup
@Singleton
public class ReadinessWarning {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final String REDIS_CHECK = "io.quarkus.redis.runtime.client.health.RedisHealthCheck";
    static final String REDIS_CHECK_ENABLED = "quarkus.smallrye-health.check.\"" + REDIS_CHECK + "\".enabled";

    ReadinessWarning(Settings settings, RateLimitBuildTimeConfig buildTime, RedisClients clients,
            @Any InjectableInstance<HealthCheck> checks) {
        List<String> working = workingWithoutRedis(settings);
        if (!working.isEmpty() && isOn(checks) && clients.isBean(buildTime.redisClient())) {
            LOG.warnf(
                    "Redis' readiness check takes the application out of service while Redis is unavailable, but"
                            + " on-redis-failure of policies %s allows calls. Set quarkus.redis.health.enabled=false when the"
                            + " application is built, or %s=false when it starts.",
                    working, REDIS_CHECK_ENABLED);
        }
    }

    /** Returns the policies that can allow calls while Redis is unavailable. */
    static List<String> workingWithoutRedis(Settings settings) {
        return settings.policies().values().stream()
                .filter(policy -> settings.enabled() && !settings.countsInMemory() && policy.enabled()
                        && policy.onRedisFailure() != OnRedisFailure.DENY)
                .map(Policy::name).toList();
    }

    private static boolean isOn(InjectableInstance<HealthCheck> checks) {
        if (checks.handlesStream().noneMatch(check -> check.getBean().getBeanClass().getName().equals(REDIS_CHECK))) {
            return false;
        }
        // Quarkus does not read this property from an environment variable, as the name of the check has capital letters
        Config config = ConfigProvider.getConfig();
        String source = config.getConfigValue(REDIS_CHECK_ENABLED).getSourceName();
        return source == null || source.startsWith(EnvConfigSource.NAME)
                || config.getValue(REDIS_CHECK_ENABLED, Boolean.class);
    }

    /**
     * Disables the readiness check of Quarkus' Redis extension when limits are counted in memory, unless the configuration
     * enables it. Used only in applications that do not use Redis themselves.
     */
    public static final class RedisCheckDefault implements ConfigBuilder, ConfigSourceFactory {

        @Override
        public SmallRyeConfigBuilder configBuilder(SmallRyeConfigBuilder builder) {
            return builder.withSources(this);
        }

        @Override
        public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
            ConfigValue store = context.getValue("quarkus.rate-limit.store");
            if (store == null || store.getValue() == null || !store.getValue().strip().equalsIgnoreCase(Store.MEMORY.name())) {
                return List.of();
            }
            // of a lower ordinal than the sources of the application
            return List.of(new PropertiesConfigSource(Map.of(REDIS_CHECK_ENABLED, "false"), "rate limits in memory", 0));
        }
    }
}
