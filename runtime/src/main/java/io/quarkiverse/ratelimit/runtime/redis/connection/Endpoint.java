package io.quarkiverse.ratelimit.runtime.redis.connection;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.redis.client.Redis;

/**
 * The Redis server that holds the counts.
 *
 * @param client creates connections to it
 * @param replaced checks from time to time whether another server has replaced it
 */
public record Endpoint(Redis client, BooleanSupplier replaced) {

    /**
     * Always returns the same server.
     *
     * @param client creates a client for the event loop on which it is called
     */
    public static Function<EventLoop, Future<Endpoint>> only(Supplier<Redis> client) {
        return loop -> loop.succeeded(new Endpoint(client.get(), Boolean.FALSE::booleanValue));
    }
}
