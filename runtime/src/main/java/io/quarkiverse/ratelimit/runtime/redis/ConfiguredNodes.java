package io.quarkiverse.ratelimit.runtime.redis;

import java.net.URI;
import java.util.List;
import java.util.function.Function;

import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.vertx.redis.client.Redis;

/**
 * The nodes of the cluster that a client is configured for. Those that are not in the configuration are reached like the
 * first one there: with its scheme, user and password.
 */
final class ConfiguredNodes implements ClusterNodes {

    private static final int DEFAULT_PORT = 6379;

    private final RedisClientConfig cluster;
    private final Function<RedisClientConfig, Redis> clients;

    ConfiguredNodes(RedisClientConfig cluster, Function<RedisClientConfig, Redis> clients) {
        this.cluster = cluster;
        this.clients = clients;
    }

    @Override
    public List<String> seeds() {
        return configured().stream()
                .map(uri -> host(uri) + ':' + (uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort())).toList();
    }

    /** Asks a hosts provider each time, as it may know other passwords and addresses by now. */
    private List<URI> configured() {
        return List.copyOf(cluster.hostsProviderName()
                .map(provider -> VertxRedisClientFactory.findProvider(provider).getHosts())
                .orElseGet(() -> cluster.hosts().orElseThrow()));
    }

    /** Without the brackets of an IPv6 address. */
    private static String host(URI uri) {
        return uri.getHost().replaceAll("[\\[\\]]", "");
    }

    @Override
    public Redis client(String address) {
        URI model = configured().get(0);
        String user = model.getRawUserInfo() == null ? "" : model.getRawUserInfo() + '@';
        String query = model.getRawQuery() == null ? "" : '?' + model.getRawQuery();
        int port = address.lastIndexOf(':');
        String host = address.substring(0, port);
        return clients.apply(OneNode.of(cluster, URI.create(model.getScheme() + "://" + user
                + (host.indexOf(':') < 0 ? host : '[' + host + ']') + address.substring(port) + query)));
    }
}
