package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.net.URI;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.vertx.core.Future;
import io.vertx.redis.client.Redis;

/**
 * Provides the first nodes to query, and clients of any node. An address is {@code host:port}. Nodes that are not configured
 * get the scheme, user and password of the first configured one.
 *
 * @param configured first nodes; called each time, because passwords and addresses may have changed
 * @param clients creates a client of a node for the event loop on which it is called
 */
public record RedisNodes(Supplier<List<URI>> configured, Function<URI, Redis> clients) {

    private static final int DEFAULT_PORT = 6379;

    List<String> seeds() {
        return configured.get().stream().map(uri -> host(uri) + ':' + (uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()))
                .toList();
    }

    /** Returns the host without the brackets of an IPv6 address. */
    private static String host(URI uri) {
        return uri.getHost().replaceAll("[\\[\\]]", "");
    }

    Redis firstClient() {
        return clients.apply(configured.get().get(0));
    }

    /** Creates a client of a node of a cluster, or of a sentinel: without a database. */
    public Redis client(String address) {
        URI model = configured.get().get(0);
        String query = model.getRawQuery() == null ? "" : model.getRawQuery().replaceAll("(^|&)db=[^&]*", "");
        return client(address, model, query.isEmpty() ? "" : '?' + query);
    }

    /** Creates a client of a master that is no node of a cluster, with the database of the first configured node. */
    Redis masterClient(String address) {
        URI model = configured.get().get(0);
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

    /** Queries one node after the other, until one succeeds. Fails if none does. */
    static <T> Future<T> firstOf(List<String> addresses, Function<String, Future<T>> query) {
        Future<T> first = query.apply(addresses.get(0));
        return addresses.size() == 1 ? first : first.recover(failure -> firstOf(addresses.subList(1, addresses.size()), query));
    }
}
