package io.quarkiverse.ratelimit.deployment.devservices;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.DefaultValuesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;

/**
 * Disables the Dev Service of the Redis extension when limits are counted in memory, unless the configuration contains any
 * property of Redis. It depends only on other properties, so it does not matter when the build reads the configuration.
 * {@link LocalRedisProcessor} starts a Redis for an application that uses Redis itself.
 */
public final class UnusedRedis implements SmallRyeConfigBuilderCustomizer, ConfigSourceFactory {

    private static final String REDIS = "quarkus.redis.";
    private static final String ENABLED = REDIS + "devservices.enabled";
    private static final String SOURCE = "rate limits without Redis";
    /** Order below the sources of the application. */
    private static final int ORDINAL = 0;

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withSources(this);
    }

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        ConfigValue store = context.getValue("quarkus.rate-limit.store");
        boolean inMemory = store != null && "memory".equalsIgnoreCase(store.getValue());
        return inMemory && !configuresRedis(context)
                ? List.of(new DefaultValuesConfigSource(Map.of(ENABLED, "false"), SOURCE, ORDINAL))
                : List.of();
    }

    /** Returns whether this class has disabled the Dev Service. */
    static boolean isDisabled() {
        return SOURCE.equals(ConfigProvider.getConfig().getConfigValue(ENABLED).getSourceName());
    }

    private static boolean configuresRedis(ConfigSourceContext context) {
        for (Iterator<String> names = context.iterateNames(); names.hasNext();) {
            String name = names.next();
            if (name.startsWith(REDIS) && !context.getValue(name).isDefault()) {
                return true;
            }
        }
        return false;
    }
}
