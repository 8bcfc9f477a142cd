package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.inject.Default;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.platform.vertx.UntracedVertx;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkus.arc.All;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.proxy.ProxyConfigurationRegistry;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.tls.TlsConfiguration;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.quarkus.tls.runtime.config.TlsConfigUtils;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.RedisTopology;

/** Creates Redis clients from the application's configuration, separate from the clients that the application injects. */
@Singleton
public record RedisClients(RedisConfig config, Vertx vertx, TlsConfigurationRegistry tls, ProxyConfigurationRegistry proxies,
        ConfiguredOptions options, @All List<RedisOptionsCustomizer> customizers) {

    private static final Set<String> SCHEMES = Set.of("redis", "rediss", "unix");
    /** Default of the clients of Quarkus. */
    private static final String DEFAULT_MASTER = "mymaster";

    public boolean isConfigured(String name) {
        RedisClientConfig client = config.clients().get(name);
        return client.hosts().isPresent() || client.hostsProviderName().isPresent();
    }

    /** Returns whether the application itself has a client bean of this name, in addition to the client of the limiter. */
    public boolean isBean(String name) {
        InjectableInstance<io.vertx.mutiny.redis.client.Redis> beans = Arc.container().select(
                io.vertx.mutiny.redis.client.Redis.class,
                RedisConfig.isDefaultClient(name) ? Default.Literal.INSTANCE : RedisClientName.Literal.of(name));
        return beans.isResolvable() && beans.getHandle().getBean().isActive();
    }

    /**
     * Returns the configuration of the client of this name.
     *
     * @throws ConfigurationException if the hosts are not configured, or the configuration cannot be used
     */
    public RedisClientConfig require(String name) {
        RedisClientConfig client = config.clients().get(name);
        String hosts = RedisConfig.getPropertyName(name, RedisConfig.HOSTS);
        if (!isConfigured(name)) {
            throw new ConfigurationException("Rate limits are counted in Redis, but " + hosts + " is not set. Set " + hosts
                    + ", such as redis://localhost:6379, or "
                    + RedisConfig.getPropertyName(name, RedisConfig.HOSTS_PROVIDER_NAME)
                    + ". Without Redis, set quarkus.rate-limit.store=memory: each instance then counts alone.");
        }
        for (URI host : client.hosts().orElse(Set.of())) {
            if (!SCHEMES.contains(String.valueOf(host.getScheme()))) {
                throw new ConfigurationException("Rate limits are counted in Redis, but " + hosts + " has an address that does"
                        + " not begin with redis://, rediss:// or unix://. Write it like redis://localhost:6379.");
            }
            if (client.clientType() != RedisClientType.STANDALONE && host.getHost() == null) {
                throw new ConfigurationException("Rate limits are counted in a Redis of several nodes, but " + hosts
                        + " has an address without the host name or address of a node. Write it like redis://localhost:6379.");
            }
        }
        if (client.clientType() == RedisClientType.STANDALONE && client.hosts().filter(all -> all.size() > 1).isPresent()) {
            throw new ConfigurationException("Rate limits are counted in one Redis, but " + hosts
                    + " has several addresses. Leave one, or set "
                    + RedisConfig.getPropertyName(name, "client-type") + " to cluster, sentinel or replication.");
        }
        client.tlsConfigurationName().filter(tlsName -> tls.get(tlsName).isEmpty()).ifPresent(tlsName -> {
            throw new ConfigurationException("Rate limits are counted in a Redis whose "
                    + RedisConfig.getPropertyName(name, "tls-configuration-name") + " is " + tlsName
                    + ", but there is no quarkus.tls." + tlsName + ".*. Add it or correct the name.");
        });
        return client;
    }

    /**
     * Creates a store in the Redis of this client, with separate connections for each event loop.
     *
     * @throws ConfigurationException if the hosts are not configured, or the configuration cannot be used
     */
    public RedisStore store(String name, String keyPrefix, Duration timeout, LimiterClock clock) {
        RedisClientConfig client = require(name);
        DecideScript script = new DecideScript(keyPrefix, Clock.systemUTC());
        clock.moveAlso(script::moveClock);
        return client.clientType() == RedisClientType.CLUSTER
                ? ClusterSender.newStore(vertx, nodes(name, client), timeout, script)
                : RedisStore.single(vertx, connector(name, client), timeout, script);
    }

    /** Creates a client of every Redis that holds keys: of the only one, or of all masters of a cluster. */
    public CompletionStage<List<Redis>> holdingKeys(String name) {
        RedisClientConfig client = require(name);
        EventLoop loop = EventLoop.currentOrNew(vertx);
        Promise<List<Redis>> clients = Promise.promise();
        loop.run(() -> loop.succeeded(null).compose(on -> holdingKeys(name, client, loop)).onComplete(clients));
        return clients.future().toCompletionStage();
    }

    private Future<List<Redis>> holdingKeys(String name, RedisClientConfig client, EventLoop loop) {
        if (client.clientType() != RedisClientType.CLUSTER) {
            return connector(name, client).find(loop).map(endpoint -> List.of(endpoint.client()));
        }
        RedisNodes nodes = nodes(name, client);
        ClusterSlots slots = new ClusterSlots(nodes);
        return slots.refresh(loop).map(refreshed -> slots.masters().stream().map(nodes::client).toList());
    }

    /** Finds the server to connect to, except in a cluster. */
    private RedisConnector connector(String name, RedisClientConfig client) {
        RedisNodes nodes = nodes(name, client);
        return switch (client.clientType()) {
            case SENTINEL -> MasterDiscovery.bySentinels(nodes, client.masterName().orElse(DEFAULT_MASTER));
            case REPLICATION -> client.topology().filter(RedisTopology.STATIC::equals).isEmpty()
                    ? MasterDiscovery.amongReplicas(nodes)
                    : RedisConnector.to(() -> nodes.masterClient(nodes.seeds().get(0)));
            default -> RedisConnector.to(nodes::firstClient);
        };
    }

    private RedisNodes nodes(String name, RedisClientConfig client) {
        return new RedisNodes(() -> List.copyOf(client.hostsProviderName()
                .map(provider -> VertxRedisClientFactory.findProvider(provider).getHosts())
                .orElseGet(() -> client.hosts().orElseThrow())), node -> create(name, client, node));
    }

    /**
     * Creates a client of one node. It has its own metrics. Its commands are not traced, because each command serves many
     * calls.
     */
    private Redis create(String name, RedisClientConfig client, URI node) {
        RedisOptions own = options.of(name, () -> VertxRedisClientFactory.create(name, vertx, client, tls, proxies));
        client.tlsConfigurationName().flatMap(tls::get).ifPresent(current -> reload(current, own.getNetClientOptions()));
        String address = client.configureClientName()
                ? VertxRedisClientFactory.applyClientQueryParam(client.clientName().orElse(name), node)
                : node.toString().trim();
        own.setType(RedisClientType.STANDALONE).setEndpoints(new ArrayList<>(List.of(address)));
        customizers.forEach(customizer -> customizer.customize(name, own));
        return Redis.createClient(UntracedVertx.of(vertx), own.setPoolName("rate-limit"));
    }

    /** Reads the certificates again, because they may have been renewed. */
    private static void reload(TlsConfiguration current, NetClientOptions net) {
        boolean ssl = net.isSsl();
        TlsConfigUtils.configure(net, current);
        net.setSsl(ssl);
    }
}
