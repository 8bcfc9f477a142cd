package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Finds the Redis server that holds the counts, and opens connections to it. All methods must be called on the loop. */
@FunctionalInterface
public interface RedisConnector {

    /** Milliseconds that a query may take to connect, and again to get the reply. */
    long QUERY_TIMEOUT = 500;

    Future<Endpoint> find(EventLoop loop);

    /**
     * Creates a connector that always connects to the same server.
     *
     * @param client creates a client for the event loop on which it is called
     */
    static RedisConnector to(Supplier<Redis> client) {
        return loop -> loop.succeeded(new Endpoint(client.get(), Boolean.FALSE::booleanValue));
    }

    /** @param timeout milliseconds that connecting and the handshake may take */
    default Future<ScriptConnection> connect(EventLoop loop, long timeout) {
        return loop.succeeded(null).compose(ignored -> find(loop)).compose(found -> {
            Future<RedisConnection> connecting = found.client().connect();
            return loop.within(timeout, connecting, new RedisStoreException("No connection within " + timeout + " ms"))
                    .map(redis -> new ScriptConnection(found, redis))
                    .onFailure(ignored -> {
                        connecting.onSuccess(RedisConnection::close);
                        found.client().close();
                    });
        });
    }

    /** Sends one command over a separate connection, within a bounded time. */
    default Future<Response> query(EventLoop loop, Request request) {
        return connect(loop, QUERY_TIMEOUT).compose(node -> loop
                .within(QUERY_TIMEOUT, node.send(request), RedisStoreException.late()).onComplete(ignored -> node.close()));
    }

    /**
     * A Redis server.
     *
     * @param client creates connections to it
     * @param otherMaster looks for another master from time to time; returns whether an earlier look has found one
     */
    record Endpoint(Redis client, BooleanSupplier otherMaster) {
    }
}
