package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;

/** Opens connections within a bounded time. */
final class RedisConnector {

    private final Function<EventLoop, Future<Endpoint>> endpoints;

    /** @param endpoints finds the server to connect to, for the event loop on which it is called */
    RedisConnector(Function<EventLoop, Future<Endpoint>> endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Must be called on the loop.
     *
     * @param timeout milliseconds that connecting and the handshake may take
     */
    Future<ScriptConnection> connect(EventLoop loop, long timeout) {
        Promise<ScriptConnection> opened = loop.promise();
        long timer = loop.setTimer(timeout,
                () -> opened.tryFail(new RedisStoreException("No connection within " + timeout + " ms")));
        from(() -> endpoints.apply(loop), loop).onFailure(opened::tryFail).onSuccess(found -> {
            opened.future().onFailure(ignored -> found.client().close());
            from(found.client()::connect, loop).onFailure(opened::tryFail).onSuccess(redis -> {
                if (!opened.tryComplete(new ScriptConnection(found, redis))) {
                    redis.close();
                }
            });
        });
        return opened.future().onComplete(ignored -> loop.cancelTimer(timer));
    }

    private static <T> Future<T> from(Supplier<Future<T>> source, EventLoop loop) {
        try {
            return source.get();
        } catch (RuntimeException e) {
            return loop.failed(e);
        }
    }
}
