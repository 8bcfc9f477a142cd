package io.quarkiverse.ratelimit.runtime.redis;

import java.net.URI;
import java.util.Set;
import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkus.proxy.ProxyConfigurationRegistry;
import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;

/** Makes Redis clients from the application's configuration, apart from the clients that the application injects. */
@Singleton
public class RedisClients {

    private static final Set<String> SCHEMES = Set.of("redis", "rediss", "unix");

    private final RedisConfig config;
    private final Vertx vertx;
    private final TlsConfigurationRegistry tls;
    private final ProxyConfigurationRegistry proxies;

    RedisClients(RedisConfig config, Vertx vertx, TlsConfigurationRegistry tls, ProxyConfigurationRegistry proxies) {
        this.config = config;
        this.vertx = vertx;
        this.tls = tls;
        this.proxies = proxies;
    }

    /** Whether it is configured where to find a client's Redis. */
    public boolean isConfigured(String name) {
        RedisClientConfig client = config.clients().get(name);
        return client.hosts().isPresent() || client.hostsProviderName().isPresent();
    }

    /**
     * Makes a client of this name for the event loop it is called on.
     *
     * @throws ConfigurationException when it is not configured where to find Redis, or where that is no Redis that can be used
     */
    public Supplier<Redis> of(String name) {
        RedisClientConfig client = config.clients().get(name);
        if (!isConfigured(name)) {
            String hosts = RedisConfig.getPropertyName(name, RedisConfig.HOSTS);
            throw new ConfigurationException("Rate limits are counted in Redis, but " + hosts + " is not set. Set " + hosts
                    + ", such as redis://localhost:6379, or "
                    + RedisConfig.getPropertyName(name, RedisConfig.HOSTS_PROVIDER_NAME)
                    + ".");
        }
        if (client.clientType() == RedisClientType.CLUSTER) {
            String type = RedisConfig.getPropertyName(name, "client-type");
            throw new ConfigurationException("Rate limits cannot be counted in a Redis Cluster yet, but " + type
                    + " is cluster. Name another client in quarkus.rate-limit.redis-client.");
        }
        for (URI host : client.hosts().orElse(Set.of())) {
            if (!SCHEMES.contains(String.valueOf(host.getScheme()))) {
                String hosts = RedisConfig.getPropertyName(name, RedisConfig.HOSTS);
                throw new ConfigurationException("Rate limits are counted in Redis, but " + hosts + " has an address that does"
                        + " not begin with redis://, rediss:// or unix://. Write it like redis://localhost:6379.");
            }
        }
        return () -> VertxRedisClientFactory.create(name, vertx, client, tls, proxies);
    }
}
