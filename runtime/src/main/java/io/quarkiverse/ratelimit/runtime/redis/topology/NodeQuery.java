package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.redis.connection.Endpoint;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Sends one command to a node over a separate connection, within a bounded time. Runs on one event loop. */
public final class NodeQuery {

    private final EventLoop loop;
    private final long longest;
    private ScriptConnection node;
    private boolean closed;

    /** @param longest milliseconds that a node may take to connect, and again to reply */
    NodeQuery(EventLoop loop, long longest) {
        this.loop = loop;
        this.longest = longest;
    }

    /** Must be called on the loop, and only after the previous query has completed. */
    Future<Response> send(Supplier<Redis> client, Request request) {
        return new RedisConnector(Endpoint.only(client)).connect(loop, longest).compose(connected -> {
            node = connected;
            if (closed) {
                drop();
                return loop.failed(new RedisStoreException("The application is stopping"));
            }
            Promise<Response> reply = loop.promise();
            long timer = loop.setTimer(longest, () -> reply.tryFail("No reply within " + longest + " ms"));
            node.redis().send(request).onSuccess(reply::tryComplete).onFailure(reply::tryFail);
            return reply.future().onComplete(done -> {
                loop.cancelTimer(timer);
                drop();
            });
        });
    }

    boolean isClosed() {
        return closed;
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
