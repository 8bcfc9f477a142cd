package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.time.Duration;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.redis.RedirectHandler;
import io.quarkiverse.ratelimit.runtime.redis.RedisQueue;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector.Endpoint;
import io.quarkiverse.ratelimit.runtime.redis.script.DecideScript;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Creates the store in one Redis, or in a cluster. */
public final class StoreFactory {

    private StoreFactory() {
    }

    /** @param endpoints finds the server to connect to, for the event loop on which it is called */
    public static RedisStore single(Vertx vertx, Function<EventLoop, Future<Endpoint>> endpoints, Duration timeout,
            DecideScript script) {
        RedisConnector connector = new RedisConnector(endpoints);
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
