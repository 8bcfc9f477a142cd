package io.quarkiverse.ratelimit.runtime.redis.connection;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;

/** Opens connections, and checks whether Redis replies over them, within a bounded time. */
public final class RedisConnector {

    /** Redis returns these errors to every command. Any other error may concern the check only, and not the decisions. */
    private static final Pattern OF_EVERY_COMMAND = Pattern.compile("(NOAUTH|LOADING|BUSY|MASTERDOWN)\\b");

    private final Function<EventLoop, Future<Endpoint>> endpoints;

    /** @param endpoints finds the server to connect to, for the event loop on which it is called */
    public RedisConnector(Function<EventLoop, Future<Endpoint>> endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Must be called on the loop.
     *
     * @param timeout milliseconds that connecting and the handshake may take
     */
    public Future<ScriptConnection> connect(EventLoop loop, long timeout) {
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

    /**
     * Completes with the same connection if Redis replied in time, else closes it and fails.
     *
     * @param command may be refused
     * @param timeout milliseconds
     */
    public static Future<ScriptConnection> checked(ScriptConnection fresh, Request command, EventLoop loop, long timeout) {
        Promise<ScriptConnection> checked = loop.promise();
        long timer = loop.setTimer(timeout, () -> checked.tryFail(RedisStoreException.late()));
        fresh.onLost(checked::tryFail);
        fresh.redis.send(command).onComplete(reply -> {
            if (reply.succeeded() || !RedisStoreException.isConnectionLost(reply.cause())
                    && !OF_EVERY_COMMAND.matcher(reply.cause().getMessage()).lookingAt()) {
                checked.tryComplete(fresh);
            } else {
                checked.tryFail(RedisStoreException.error(reply.cause().getMessage()));
            }
        });
        return checked.future().onComplete(ignored -> loop.cancelTimer(timer)).onFailure(ignored -> fresh.close());
    }

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
}
