package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.util.List;

import io.vertx.redis.client.Redis;

/** Provides the addresses of the first nodes to query, and clients of any node. An address is {@code host:port}. */
public interface RedisNodes {

    List<String> seeds();

    /** Creates a client of one node for the event loop on which it is called. */
    Redis client(String address);
}
