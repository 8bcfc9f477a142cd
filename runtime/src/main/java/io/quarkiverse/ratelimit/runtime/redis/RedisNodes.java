package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

import io.vertx.redis.client.Redis;

/** Knows where Redis is asked for its masters, and makes clients of its nodes; an address is {@code host:port}. */
interface RedisNodes {

    /** Addresses of nodes to begin with. */
    List<String> seeds();

    /** Makes a client of one node for the event loop it is called on. */
    Redis client(String address);
}
