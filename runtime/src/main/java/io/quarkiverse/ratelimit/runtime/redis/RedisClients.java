package io.quarkiverse.ratelimit.runtime.redis;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
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

    private static final int DEFAULT_PORT = 6379;
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
     * The configuration of the client of this name.
     *
     * @throws ConfigurationException when it is not configured where to find Redis, or where that is no Redis that can be used
     */
    private RedisClientConfig required(String name) {
        RedisClientConfig client = config.clients().get(name);
        if (!isConfigured(name)) {
            String hosts = RedisConfig.getPropertyName(name, RedisConfig.HOSTS);
            throw new ConfigurationException("Rate limits are counted in Redis, but " + hosts + " is not set. Set " + hosts
                    + ", such as redis://localhost:6379, or "
                    + RedisConfig.getPropertyName(name, RedisConfig.HOSTS_PROVIDER_NAME)
                    + ".");
        }
        for (URI host : client.hosts().orElse(Set.of())) {
            if (!SCHEMES.contains(String.valueOf(host.getScheme()))) {
                String hosts = RedisConfig.getPropertyName(name, RedisConfig.HOSTS);
                throw new ConfigurationException("Rate limits are counted in Redis, but " + hosts + " has an address that does"
                        + " not begin with redis://, rediss:// or unix://. Write it like redis://localhost:6379.");
            }
        }
        return client;
    }

    /**
     * Makes a store in the Redis of this client, with a connection of its own for each event loop.
     *
     * @param store made with what makes clients for the event loop it is called on
     * @param clusterStore made where the Redis is a cluster
     * @throws ConfigurationException when it is not configured where to find Redis, or where that is no Redis that can be used
     */
    public RedisStore store(String name, Function<Supplier<Redis>, RedisStore> store,
            Function<ClusterNodes, RedisStore> clusterStore) {
        RedisClientConfig client = required(name);
        return client.clientType() == RedisClientType.CLUSTER ? clusterStore.apply(new Nodes(name, client))
                : store.apply(() -> create(name, client));
    }

    /** @throws ConfigurationException when it is not configured where to find Redis */
    public void require(String name) {
        required(name);
    }

    private Redis create(String name, RedisClientConfig client) {
        return VertxRedisClientFactory.create(name, vertx, client, tls, proxies);
    }

    /** The nodes of the cluster that a client is configured for, each reached as the configured ones. */
    private final class Nodes implements ClusterNodes {

        private final String name;
        private final RedisClientConfig client;
        private final List<URI> configured;

        Nodes(String name, RedisClientConfig client) {
            this.name = name;
            this.client = client;
            this.configured = List.copyOf(client.hostsProviderName()
                    .map(provider -> VertxRedisClientFactory.findProvider(provider).getHosts())
                    .orElseGet(() -> client.hosts().orElseThrow()));
        }

        @Override
        public List<String> seeds() {
            return configured.stream().map(uri -> uri.getHost() + ':' + (uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()))
                    .toList();
        }

        @Override
        public Redis client(String address) {
            URI model = configured.get(0);
            String user = model.getRawUserInfo() == null ? "" : model.getRawUserInfo() + '@';
            String query = model.getRawQuery() == null ? "" : '?' + model.getRawQuery();
            int colon = address.lastIndexOf(':');
            String host = address.substring(0, colon);
            URI uri = URI.create(model.getScheme() + "://" + user + (host.indexOf(':') < 0 ? host : '[' + host + ']')
                    + address.substring(colon) + query);
            return create(name, new OneNode(client, uri).asConfig());
        }
    }
}
