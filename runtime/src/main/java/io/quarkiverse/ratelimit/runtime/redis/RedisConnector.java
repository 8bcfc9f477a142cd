package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Function;
import java.util.function.Supplier;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;

/** Opens connections within a bounded time. */
final class RedisConnector {

    private final Function<ContextInternal, Future<Endpoint>> place;

    /** @param place finds the server to connect to, for the event loop on which it is called */
    RedisConnector(Function<ContextInternal, Future<Endpoint>> place) {
        this.place = place;
    }

    /**
     * Must be called on the loop.
     *
     * @param deadline milliseconds that connecting and the handshake may take
     */
    Future<ScriptConnection> connect(ContextInternal loop, long deadline) {
        Promise<ScriptConnection> opened = loop.promise();
        long timer = loop.setTimer(deadline,
                ignored -> opened.tryFail(new RedisStoreException("No connection within " + deadline + " ms")));
        from(() -> place.apply(loop), loop).onFailure(opened::tryFail).onSuccess(found -> {
            opened.future().onFailure(ignored -> found.client().close());
            from(found.client()::connect, loop).onFailure(opened::tryFail).onSuccess(redis -> {
                if (!opened.tryComplete(new ScriptConnection(found, redis))) {
                    redis.close();
                }
            });
        });
        return opened.future().onComplete(ignored -> loop.owner().cancelTimer(timer));
    }

    private static <T> Future<T> from(Supplier<Future<T>> source, ContextInternal loop) {
        try {
            return source.get();
        } catch (RuntimeException e) {
            return loop.failedFuture(e);
        }
    }
}
