package io.quarkiverse.ratelimit.runtime.redis;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.inject.Default;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.proxy.ProxyConfigurationRegistry;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
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
    private final OwnOptions own;

    RedisClients(RedisConfig config, Vertx vertx, TlsConfigurationRegistry tls, ProxyConfigurationRegistry proxies,
            OwnOptions own) {
        this.config = config;
        this.vertx = vertx;
        this.tls = tls;
        this.proxies = proxies;
        this.own = own;
    }

    /** Whether it is configured where to find a client's Redis. */
    public boolean isConfigured(String name) {
        RedisClientConfig client = config.clients().get(name);
        return client.hosts().isPresent() || client.hostsProviderName().isPresent();
    }

    /** Whether the application has a client of this name itself, as a bean, besides the limiter's own. */
    public boolean isBean(String name) {
        InjectableInstance<io.vertx.mutiny.redis.client.Redis> beans = Arc.container().select(
                io.vertx.mutiny.redis.client.Redis.class,
                RedisConfig.isDefaultClient(name) ? Default.Literal.INSTANCE : RedisClientName.Literal.of(name));
        return beans.isResolvable() && beans.getHandle().getBean().isActive();
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
            if (isCluster(client) && host.getHost() == null) {
                String hosts = RedisConfig.getPropertyName(name, RedisConfig.HOSTS);
                throw new ConfigurationException("Rate limits are counted in a Redis Cluster, but " + hosts + " has an address"
                        + " without the host name or address of a node. Write it like redis://localhost:6379.");
            }
        }
        return client;
    }

    /**
     * Makes a store in the Redis of this client, with connections of its own for each event loop.
     *
     * @param keyPrefix what every key begins with
     * @param timeout how long a decision may take
     * @param clock says how far ahead of Redis' clock to decide
     * @throws ConfigurationException when it is not configured where to find Redis, or where that is no Redis that can be used
     */
    public RedisStore store(String name, String keyPrefix, Duration timeout, LimiterClock clock) {
        RedisClientConfig client = required(name);
        return isCluster(client)
                ? new RedisStore(vertx, nodes(name, client), keyPrefix, timeout, clock, Clock.systemUTC())
                : new RedisStore(vertx, () -> create(name, client), keyPrefix, timeout, clock, Clock.systemUTC());
    }

    /** @throws ConfigurationException when it is not configured where to find Redis */
    public void require(String name) {
        required(name);
    }

    /** Makes clients of every Redis that holds keys: of the only one, or of all masters of a cluster. */
    public CompletionStage<List<Redis>> holdingKeys(String name) {
        RedisClientConfig client = required(name);
        if (!isCluster(client)) {
            return CompletableFuture.completedStage(List.of(create(name, client)));
        }
        ClusterNodes nodes = nodes(name, client);
        ClusterSlots slots = new ClusterSlots(nodes.seeds());
        CompletableFuture<List<Redis>> clients = new CompletableFuture<>();
        ContextInternal loop = (ContextInternal) vertx.getOrCreateContext();
        loop.runOnContext(ignored -> new SlotsLook(loop, nodes).ask(slots.nodes()).onFailure(clients::completeExceptionally)
                .onSuccess(seen -> {
                    slots.saw(seen.slots(), seen.from());
                    clients.complete(slots.masters().stream().map(nodes::client).toList());
                }));
        return clients;
    }

    private static boolean isCluster(RedisClientConfig client) {
        return client.clientType() == RedisClientType.CLUSTER;
    }

    private ClusterNodes nodes(String name, RedisClientConfig client) {
        return new ConfiguredNodes(client, one -> create(name, one));
    }

    private Redis create(String name, RedisClientConfig client) {
        return own.make(() -> VertxRedisClientFactory.create(name, vertx, client, tls, proxies));
    }
}
