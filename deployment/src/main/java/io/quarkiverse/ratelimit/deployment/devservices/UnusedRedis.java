package io.quarkiverse.ratelimit.deployment.devservices;

import java.util.Set;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.spi.ConfigSource;

import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;

/**
 * Keeps the Redis extension from starting a Dev Service for a Redis that nobody uses: while it builds the application, the
 * hosts seem to be configured. The application itself does not see this value.
 */
public final class UnusedRedis implements SmallRyeConfigBuilderCustomizer {

    private static final String SOURCE = "rate limits without Redis";

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withSources(new Hosts());
    }

    /** Affects only the build in progress, as each build has its own configuration. */
    static void hide() {
        ConfigProvider.getConfig().unwrap(SmallRyeConfig.class).getConfigSource(SOURCE).map(Hosts.class::cast)
                .ifPresent(hosts -> hosts.hidden = true);
    }

    private static final class Hosts implements ConfigSource {

        private volatile boolean hidden;

        @Override
        public String getName() {
            return SOURCE;
        }

        @Override
        public Set<String> getPropertyNames() {
            return Set.of();
        }

        @Override
        public String getValue(String property) {
            return hidden && property.equals("quarkus.redis.hosts") ? "redis://unused" : null;
        }

        @Override
        public int getOrdinal() {
            return 0;
        }
    }
}
