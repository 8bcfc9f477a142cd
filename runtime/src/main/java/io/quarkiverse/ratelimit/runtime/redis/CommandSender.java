package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Sends separate commands over the connection of one event loop. They wait for that connection, unless Redis is unavailable.
 * All methods run on that loop.
 */
final class CommandSender {

    private final EventLoop loop;
    private final Reconnector reconnector;
    private final RedisQueue queue;
    private final long timeout;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    /** @param timeout how many nanoseconds Redis may be silent */
    CommandSender(EventLoop loop, Reconnector reconnector, RedisQueue queue, long timeout) {
        this.loop = loop;
        this.reconnector = reconnector;
        this.queue = queue;
        this.timeout = timeout;
    }

    void send(Request request, UniEmitter<? super Response> emitter) {
        send(emitter, connection -> connection.send(request));
    }

    /** Sends a command to a node that is importing its slot. */
    void sendAsking(Request request, UniEmitter<? super Response> emitter) {
        send(emitter, connection -> connection.sendAsking(request));
    }

    private void send(UniEmitter<? super Response> emitter, Function<ScriptConnection, Future<Response>> command) {
        if (!reconnector.isUnavailable()) {
            reconnector.connect();
        }
        // a command whose caller has given up must not take effect later
        AtomicBoolean givenUp = new AtomicBoolean();
        emitter.onTermination(() -> givenUp.set(true));
        waiting.add(() -> {
            if (!givenUp.get()) {
                sendNow(emitter, command);
            }
        });
        if (reconnector.isUnavailable() || reconnector.connection != null) {
            sendOrFailWaiting();
        }
        loop.runAt(System.nanoTime() + timeout, this::watchForSilence);
    }

    /** No decision waits for a command, so silence does not end an attempt to connect. */
    private void watchForSilence() {
        if (reconnector.connection != null) {
            reconnector.markUnavailableIfSilent(System.nanoTime(), timeout);
        }
    }

    private void sendNow(UniEmitter<? super Response> emitter, Function<ScriptConnection, Future<Response>> command) {
        ScriptConnection used = reconnector.connection;
        if (used == null || !used.takesCommands()) {
            emitter.fail(new RedisStoreException("Redis is unavailable"));
            return;
        }
        command.apply(used).onComplete(result -> {
            used.replied(true);
            if (result.succeeded()) {
                emitter.complete(result.result());
            } else {
                emitter.fail(result.cause());
            }
            queue.flush();
        });
    }

    /** Sends the waiting commands, or fails them without a connection. */
    void sendOrFailWaiting() {
        while (!waiting.isEmpty()) {
            waiting.poll().run();
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }
}
