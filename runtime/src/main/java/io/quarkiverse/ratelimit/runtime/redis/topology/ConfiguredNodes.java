package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.net.URI;
import java.util.List;
import java.util.function.Function;

import io.quarkus.redis.runtime.client.VertxRedisClientFactory;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.vertx.redis.client.Redis;

/**
 * Creates clients of the nodes of one configured client: of a cluster, sentinels, a master and its replicas, or a single
 * Redis. Nodes that are not in the configuration get the scheme, user and password of the first configured node.
 *
 * @param clients creates a client of the node at an address
 */
record ConfiguredNodes(RedisClientConfig config, Function<URI, Redis> clients) implements RedisNodes {

    private static final int DEFAULT_PORT = 6379;

    @Override
    public List<String> seeds() {
        return configured().stream().map(uri -> host(uri) + ':' + (uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort())).toList();
    }

    /** Calls the hosts provider each time, because passwords and addresses may have changed. */
    private List<URI> configured() {
        return List.copyOf(config.hostsProviderName()
                .map(provider -> VertxRedisClientFactory.findProvider(provider).getHosts())
                .orElseGet(() -> config.hosts().orElseThrow()));
    }

    /** The host without the brackets of an IPv6 address. */
    private static String host(URI uri) {
        return uri.getHost().replaceAll("[\\[\\]]", "");
    }

    Redis onlyClient() {
        return clients.apply(configured().get(0));
    }

    @Override
    public Redis client(String address) {
        URI model = configured().get(0);
        String query = model.getRawQuery() == null ? "" : model.getRawQuery().replaceAll("(^|&)db=[^&]*", "");
        return client(address, model, query.isEmpty() ? "" : '?' + query);
    }

    /** Uses the database of the first configured address. */
    @Override
    public Redis masterClient(String address) {
        URI model = configured().get(0);
        String query = model.getRawQuery() == null ? "" : '?' + model.getRawQuery();
        return client(address, model, model.getRawPath() + query);
    }

    private Redis client(String address, URI model, String database) {
        String user = model.getRawUserInfo() == null ? "" : model.getRawUserInfo() + '@';
        int port = address.lastIndexOf(':');
        String host = address.substring(0, port);
        return clients.apply(URI.create(model.getScheme() + "://" + user
                + (host.indexOf(':') < 0 ? host : '[' + host + ']') + address.substring(port) + database));
    }
}
