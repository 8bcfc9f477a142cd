package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.util.List;
import java.util.function.Function;

import io.vertx.core.Future;
import io.vertx.redis.client.Redis;

/** Provides the addresses of the first nodes to query, and clients of any node. An address is {@code host:port}. */
public interface RedisNodes {

    List<String> seeds();

    /** Creates a client of one node for the event loop on which it is called. */
    Redis client(String address);

    /** Creates a client of a master that is no node of a cluster, for the event loop on which it is called. */
    default Redis masterClient(String address) {
        return client(address);
    }

    /** Queries one node after the other, until one succeeds. Fails if none does. */
    static <T> Future<T> firstOf(List<String> addresses, Function<String, Future<T>> query) {
        Future<T> first = query.apply(addresses.get(0));
        return addresses.size() == 1 ? first : first.recover(failure -> firstOf(addresses.subList(1, addresses.size()), query));
    }
}
