package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import java.time.Duration;
import java.util.List;

/**
 * The last known health of Redis, without a request to Redis.
 *
 * @param hasConnected true if there has been a connection
 * @param nodes number of nodes that decide without an outage: 1, or the number of known masters of a cluster
 * @param unavailable nodes that are currently unavailable, sorted by address
 */
public record RedisHealth(boolean hasConnected, int nodes, List<UnavailableNode> unavailable) {

    /**
     * A Redis node that is unavailable.
     *
     * @param address {@code host:port} in a cluster, empty if there is only one Redis
     * @param reason one line without passwords
     */
    public record UnavailableNode(String address, Duration since, String reason) {
    }
}
