package io.quarkiverse.ratelimit.runtime.observe;

import java.util.List;
import java.util.Map;

import org.eclipse.microprofile.config.spi.ConfigSource;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.Store;
import io.quarkus.runtime.configuration.ConfigBuilder;
import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/**
 * Disables the readiness check of Quarkus' Redis extension when limits are counted in memory, unless the configuration
 * enables it. Used only in applications that do not use Redis themselves.
 */
public final class RedisCheckDefault implements ConfigBuilder, ConfigSourceFactory {

    /** Below the sources of the application. */
    private static final int ORDINAL = 0;

    @Override
    public SmallRyeConfigBuilder configBuilder(SmallRyeConfigBuilder builder) {
        return builder.withSources(this);
    }

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        ConfigValue store = context.getValue("quarkus.rate-limit.store");
        boolean inMemory = store != null && store.getValue() != null
                && Store.MEMORY.name().equalsIgnoreCase(store.getValue().strip());
        return inMemory ? List.of(new PropertiesConfigSource(Map.of(ReadinessWarning.REDIS_CHECK_ENABLED, "false"),
                "rate limits in memory", ORDINAL)) : List.of();
    }
}
