package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Supplier;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;

/** Opens connections that answer within a bounded time. */
final class RedisConnector {

    private final Supplier<Redis> clients;

    /** @param clients makes a client for the event loop it is called on */
    RedisConnector(Supplier<Redis> clients) {
        this.clients = clients;
    }

    /**
     * Must be called on the loop.
     *
     * @param deadline how many milliseconds connecting and the handshake may take
     */
    Future<LaneConnection> connect(ContextInternal loop, long deadline) {
        Promise<LaneConnection> opened = loop.promise();
        Redis client;
        try {
            client = clients.get();
        } catch (RuntimeException e) {
            return loop.failedFuture(e);
        }
        long timer = loop.setTimer(deadline, ignored -> {
            if (opened.tryFail(new RedisStoreException("No connection within " + deadline + " ms"))) {
                client.close();
            }
        });
        connectWith(client, loop).onComplete(connection -> {
            loop.owner().cancelTimer(timer);
            if (connection.failed()) {
                if (opened.tryFail(connection.cause())) {
                    client.close();
                }
            } else if (!opened.tryComplete(new LaneConnection(client, connection.result()))) {
                connection.result().close();
            }
        });
        return opened.future();
    }

    private static Future<RedisConnection> connectWith(Redis client, ContextInternal loop) {
        try {
            return client.connect();
        } catch (RuntimeException e) {
            return loop.failedFuture(e);
        }
    }
}
