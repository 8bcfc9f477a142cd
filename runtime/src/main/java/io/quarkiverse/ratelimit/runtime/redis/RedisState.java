package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;
import java.util.List;

/**
 * How Redis is, as far as the limiter knows without asking it.
 *
 * @param connected whether there has been a connection
 * @param nodes how many decide when all is well: 1, or the masters of a cluster as far as they are known
 * @param away those that do not decide at the moment, sorted by address
 */
public record RedisState(boolean connected, int nodes, List<Away> away) {

    public RedisState {
        away = List.copyOf(away);
    }

    /**
     * A Redis that does not decide.
     *
     * @param address {@code host:port} in a cluster, empty where there is only one Redis
     * @param reason in one line and without any password
     */
    public record Away(String address, Duration since, String reason) {
    }
}
