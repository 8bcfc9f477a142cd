package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.time.Clock;
import java.time.Duration;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.redis.RedirectHandler;
import io.quarkiverse.ratelimit.runtime.redis.RedisQueue;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector.Endpoint;
import io.quarkiverse.ratelimit.runtime.redis.script.DecideScript;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** Creates the store in one Redis, or in a cluster. */
public final class StoreFactory {

    private StoreFactory() {
    }

    /**
     * @param clients creates a Redis client for the event loop on which it is called
     * @param keyPrefix prefix of every key
     * @param timeout how long a decision may take
     * @param clock how far ahead of the clock of Redis to decide
     * @param application replaces the clock of Redis until the first reply
     */
    public static RedisStore single(Vertx vertx, Supplier<Redis> clients, String keyPrefix, Duration timeout,
            LimiterClock clock, Clock application) {
        return single(vertx, new RedisConnector(Endpoint.only(clients)), timeout,
                new DecideScript(keyPrefix, clock.offset(), application));
    }

    public static RedisStore single(Vertx vertx, RedisConnector connector, Duration timeout, DecideScript script) {
        Outage outage = new Outage();
        return new RedisStore(vertx, timeout, false,
                loop -> new RedisQueue(loop, connector, script, outage, RedirectHandler.NONE, timeout.toNanos()),
                () -> 1, () -> outage.unavailable().stream().toList());
    }

    public static RedisStore cluster(Vertx vertx, RedisNodes nodes, Duration timeout, DecideScript script) {
        ClusterSlots slots = new ClusterSlots(nodes);
        return new RedisStore(vertx, timeout, true,
                loop -> new ClusterSender(loop, nodes, slots, script, timeout.toNanos()),
                () -> slots.masters().size(), slots::unavailable);
    }
}
