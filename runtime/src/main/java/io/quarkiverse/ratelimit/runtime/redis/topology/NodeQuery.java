package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector.Endpoint;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Sends one command at a time to a node over a separate connection, within a bounded time. Runs on one event loop. */
public final class NodeQuery {

    /** Milliseconds that a node may take to connect, and again to reply. */
    private static final long LONGEST = 500;

    private final EventLoop loop;
    private ScriptConnection node;
    private boolean closed;

    NodeQuery(EventLoop loop) {
        this.loop = loop;
    }

    /** Queries one node after the other, until one succeeds. Fails if none does. */
    <T> Future<T> firstOf(List<String> addresses, Function<String, Future<T>> query) {
        Future<T> first = query.apply(addresses.get(0));
        return addresses.size() == 1 ? first
                : first.recover(failure -> closed ? first : firstOf(addresses.subList(1, addresses.size()), query));
    }

    /** Must be called on the loop, and only after the previous query has completed. */
    Future<Response> send(Supplier<Redis> client, Request request) {
        return new RedisConnector(Endpoint.only(client)).connect(loop, LONGEST).compose(connected -> {
            node = connected;
            if (closed) {
                drop();
                return loop.failed(new RedisStoreException("The application is stopping"));
            }
            Promise<Response> reply = loop.promise();
            long timer = loop.setTimer(LONGEST, () -> reply.tryFail("No reply within " + LONGEST + " ms"));
            node.send(request).onSuccess(reply::tryComplete).onFailure(reply::tryFail);
            return reply.future().onComplete(done -> {
                loop.cancelTimer(timer);
                drop();
            });
        });
    }

    /** Sends no more commands. */
    void close() {
        closed = true;
        drop();
    }

    private void drop() {
        if (node != null) {
            node.close();
            node = null;
        }
    }
}
