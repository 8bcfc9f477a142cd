package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.redis.topology.RedisClients;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.TlsConfiguration;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** A client configuration that cannot work is reported at start. */
class RedisClientsTest {

    private static final String TWO = "redis://one:6379,redis://two:6379";

    @Test
    void severalAddressesNeedATypeOfClient() {
        assertThatThrownBy(() -> require(Map.of("quarkus.redis.hosts", TWO)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("Rate limits are counted in one Redis, but quarkus.redis.hosts has several addresses. Leave one,"
                        + " or set quarkus.redis.client-type to cluster, sentinel or replication.");
        for (String type : new String[] { "cluster", "sentinel", "replication" }) {
            assertThatCode(() -> require(Map.of("quarkus.redis.hosts", TWO, "quarkus.redis.client-type", type)))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void tlsConfigurationMustExist() {
        assertThatThrownBy(() -> require(Map.of("quarkus.redis.hosts", "rediss://one:6379",
                "quarkus.redis.tls-configuration-name", "typo"))).isInstanceOf(ConfigurationException.class)
                .hasMessage("Rate limits are counted in a Redis whose quarkus.redis.tls-configuration-name is typo, but there"
                        + " is no quarkus.tls.typo.*. Add it or correct the name.");
    }

    private static void require(Map<String, String> properties) {
        RedisConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters()
                .withMapping(RedisConfig.class)
                .withSources(new PropertiesConfigSource(properties, "application.properties", 250))
                .build().getConfigMapping(RedisConfig.class);
        new RedisClients(config, null, new NoTls(), null, null, List.of()).require("<default>");
    }

    private record NoTls() implements TlsConfigurationRegistry {

        @Override
        public Optional<TlsConfiguration> get(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<TlsConfiguration> getDefault() {
            return Optional.empty();
        }

        @Override
        public void register(String name, TlsConfiguration configuration) {
            throw new UnsupportedOperationException();
        }
    }
}
