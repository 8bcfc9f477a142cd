package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector.Endpoint;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** The connection of a queue. It has a client of its own, so that closing it really closes the socket. */
public final class ScriptConnection {

    /** Maximum number of commands that wait for replies. Further requests wait and form larger batches. */
    private static final int MAX_PENDING = 32;
    /** Redis returns these errors to every command. Any other error may concern the check only, and not the decisions. */
    private static final Pattern ERROR_OF_EVERY_COMMAND = Pattern.compile("(NOAUTH|LOADING|BUSY|MASTERDOWN)\\b");

    private final Endpoint endpoint;
    private final RedisConnection redis;
    private int pending;
    private boolean worked, closesWhenIdle, replaced;
    /** Time since which no reply has arrived in time, while commands are pending. */
    private long silentSince;

    ScriptConnection(Endpoint endpoint, RedisConnection redis) {
        this.endpoint = endpoint;
        this.redis = redis;
    }

    /**
     * Completes with this connection if Redis replied in time, else closes it and fails.
     *
     * @param command an error that concerns only this command is a reply, too
     * @param timeout milliseconds
     */
    public Future<ScriptConnection> checked(Request command, EventLoop loop, long timeout) {
        return loop.within(timeout, redis.send(command), RedisStoreException.late()).transform(reply -> {
            if (reply.succeeded() || concernsOnlyCommand(reply.cause())) {
                return Future.succeededFuture(this);
            }
            close();
            return Future.failedFuture(reply.cause());
        });
    }

    private static boolean concernsOnlyCommand(Throwable error) {
        return !isConnectionLost(error) && !ERROR_OF_EVERY_COMMAND.matcher(error.getMessage()).lookingAt();
    }

    /** Sends a command. Its sender must record the reply by {@link #replied}. */
    public Future<Response> send(Request command) {
        Future<Response> reply = redis.send(command);
        if (pending++ == 0) {
            silentSince = System.nanoTime();
        }
        return reply;
    }

    /** Lets the next command use a slot that this node is importing. */
    public void ask() {
        redis.send(Request.cmd(Command.ASKING));
    }

    /** @param inTime {@code false} for a reply that comes too late, which does not show that the server keeps up */
    public void replied(boolean inTime) {
        silentSince = inTime ? System.nanoTime() : silentSince;
        worked |= inTime;
        if (--pending == 0 && closesWhenIdle) {
            close();
        }
    }

    /** Returns whether Redis would soon be idle while the event loop continues: at most one command has no reply yet. */
    public boolean hasLittleToDo() {
        return pending < 2;
    }

    public boolean takesBatches() {
        return pending < MAX_PENDING && !isFull();
    }

    /** Returns whether a command would fail because too many have no reply yet. */
    public boolean isFull() {
        return redis.pendingQueueFull();
    }

    /**
     * Returns whether the server has not replied for the time that a request may take.
     *
     * @param now by {@link System#nanoTime}
     * @param timeout in nanoseconds
     */
    public boolean isSilent(long now, long timeout) {
        return pending > 0 && isTooLong(now - silentSince, timeout);
    }

    /**
     * Returns whether this is too long for a request: nine tenths of the timeout, because it is sent a little after it is made.
     */
    public static boolean isTooLong(long nanos, long timeout) {
        return nanos >= timeout / 10 * 9;
    }

    /** Looks for another master, at most twice a second. Returns whether an earlier look has found one. */
    public boolean lookForOtherMaster() {
        return endpoint.otherMaster().getAsBoolean();
    }

    /** Returns whether its queue no longer uses it. */
    public boolean isReplaced() {
        return replaced;
    }

    /** Returns whether a reply to a batch has arrived in time. */
    public boolean hasWorked() {
        return worked;
    }

    public void onLost(Consumer<Throwable> lost) {
        redis.exceptionHandler(lost::accept);
        redis.endHandler(ignored -> lost.accept(new RedisStoreException("The connection to Redis was closed")));
    }

    /** Closes it when all replies have arrived, so that permits they grant too late can be refunded. */
    public void closeWhenIdle() {
        closesWhenIdle = true;
        ignoreLoss();
        if (pending == 0) {
            close();
        }
    }

    public void close() {
        ignoreLoss();
        endpoint.client().close();
    }

    private void ignoreLoss() {
        replaced = true;
        redis.exceptionHandler(ignored -> {
        });
        redis.endHandler(null);
    }

    /**
     * Returns whether a command failed with its connection. Every error from Redis is a {@link Response}, and so are some
     * errors that the client creates itself.
     */
    public static boolean isConnectionLost(Throwable cause) {
        return !(cause instanceof Response) || cause.getMessage().startsWith("CONNECTION_CLOSED")
                || cause.getMessage().startsWith("ILLEGAL_STATE");
    }
}
