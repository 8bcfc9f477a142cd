package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(strings = { "localhost:6379", "//localhost:6379", "http://localhost:6379" })
    void addressNeedsTheSchemeOfRedis(String address) {
        assertThatThrownBy(() -> require(Map.of("quarkus.redis.hosts", address))).isInstanceOf(ConfigurationException.class)
                .hasMessage("Rate limits are counted in Redis, but quarkus.redis.hosts has an address that does not begin"
                        + " with redis://, rediss:// or unix://. Write it like redis://localhost:6379.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "cluster", "sentinel", "replication" })
    void nodeNeedsAHost(String type) {
        Map<String, String> socket = Map.of("quarkus.redis.hosts", "unix:///tmp/redis.sock");

        assertThatThrownBy(() -> require(with(socket, "quarkus.redis.client-type", type)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("Rate limits are counted in a Redis of several nodes, but quarkus.redis.hosts has an address"
                        + " without the host name or address of a node. Write it like redis://localhost:6379.");
        assertThatCode(() -> require(socket)).doesNotThrowAnyException();
    }

    @Test
    void tlsConfigurationMustExist() {
        assertThatThrownBy(() -> require(Map.of("quarkus.redis.hosts", "rediss://one:6379",
                "quarkus.redis.tls-configuration-name", "typo"))).isInstanceOf(ConfigurationException.class)
                .hasMessage("Rate limits are counted in a Redis whose quarkus.redis.tls-configuration-name is typo, but there"
                        + " is no quarkus.tls.typo.*. Add it or correct the name.");
    }

    private static Map<String, String> with(Map<String, String> properties, String name, String value) {
        Map<String, String> all = new HashMap<>(properties);
        all.put(name, value);
        return all;
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
