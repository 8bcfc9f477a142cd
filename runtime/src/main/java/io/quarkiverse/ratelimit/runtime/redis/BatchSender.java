package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.AsyncResult;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Sends batches over the connection of one event loop and distributes their replies. All methods run on that loop.
 *
 * <p>
 * A batch is one command, so an error from Redis means that nothing of it was counted. A batch without a reply is never sent
 * again.
 */
final class BatchSender {

    /** Prefix of the error of a script whose arguments were computed for another time than the time of Redis. */
    private static final String OTHER_TIME = "OTHERTIME";

    private final EventLoop loop;
    private final DecideScript script;
    private final Outage outage;
    private final RedirectHandler redirections;
    private final Reconnector reconnector;
    private final Consumer<PendingRequest> repeated;
    private final Runnable replied;

    /**
     * @param repeated called with each request that must be sent once more
     * @param replied called after each reply, unless it showed that the connection cannot be used
     */
    BatchSender(EventLoop loop, DecideScript script, Outage outage, RedirectHandler redirections, Reconnector reconnector,
            Consumer<PendingRequest> repeated, Runnable replied) {
        this.loop = loop;
        this.script = script;
        this.outage = outage;
        this.redirections = redirections;
        this.reconnector = reconnector;
        this.repeated = repeated;
        this.replied = replied;
    }

    /** Sends the batch over the connection that is ready. */
    void send(Batch batch) {
        send(batch, false);
    }

    /** @param withText whether to send the text of the script, which also loads it */
    private void send(Batch batch, boolean withText) {
        ScriptConnection used = reconnector.connection();
        used.sent();
        for (MergedRequest entry : batch.entries()) {
            entry.sent();
        }
        if (batch.isAsking()) {
            used.redis().send(Request.cmd(Command.ASKING));
        }
        used.redis().send(withText ? script.eval(batch.requests()) : script.evalsha(batch.requests()))
                // continue after the connection has been read: the client queues commands that are sent while it reads
                .onComplete(result -> loop.run(() -> {
                    used.replied(isInTime(batch));
                    replied(used, batch, withText, result);
                }));
    }

    private static boolean isInTime(Batch batch) {
        for (MergedRequest entry : batch.entries()) {
            if (entry.lastWaiting() != null) {
                return true;
            }
        }
        return false;
    }

    private void replied(ScriptConnection used, Batch batch, boolean withText, AsyncResult<Response> result) {
        if (result.succeeded()) {
            distribute(used, batch, result.result());
        } else if (used != reconnector.connection() || isConnectionLost(result.cause())) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", result.cause());
            if (failed(batch, lost)) {
                outage.begin(lost);
            }
            reconnector.lost(used, lost);
            return;
        } else if (!withText && result.cause().getMessage().startsWith("NOSCRIPT")) {
            List<PendingRequest> requests = batch.pending();
            requests.removeIf(PendingRequest::isAnswered);
            if (!requests.isEmpty()) {
                send(Batch.of(requests), true);
            }
        } else if (!follow(batch.pending(), result.cause().getMessage())) {
            return;
        }
        replied.run();
    }

    /** Fails all requests; returns whether any of them still waited for its reply. */
    private static boolean failed(Batch batch, RedisStoreException failure) {
        boolean any = false;
        for (PendingRequest request : batch.pending()) {
            any |= !request.isAnswered();
            request.fail(failure);
        }
        return any;
    }

    /** Whether this Redis can still be used after this error. */
    private boolean follow(List<PendingRequest> requests, String error) {
        requests.removeIf(PendingRequest::isAnswered);
        boolean usable = redirections.follow(requests, error);
        if (!usable || !requests.isEmpty()) {
            RedisStoreException denied = RedisStoreException.denied(error);
            outage.denied(denied);
            for (PendingRequest request : requests) {
                request.deny(denied);
            }
            if (!usable) {
                reconnector.leave(denied);
            }
        }
        return usable;
    }

    private void distribute(ScriptConnection used, Batch batch, Response reply) {
        RedisStoreException denied = null;
        PendingRequest inTime = null;
        ReplyReader reader = new ReplyReader(reply);
        script.answered(reader.time());
        for (MergedRequest entry : batch.entries()) {
            PendingRequest last = entry.lastWaiting();
            String error = entry.complete(reader);
            if (error == null && last != null) {
                inTime = last;
            }
            for (PendingRequest pending : error == null ? List.<PendingRequest> of() : entry.requests()) {
                if (error.startsWith(OTHER_TIME) && pending.repeat()) {
                    pending.sent = false;
                    repeated.accept(pending);
                } else {
                    denied = RedisStoreException.denied(error);
                    outage.denied(denied);
                    pending.deny(denied);
                }
            }
        }
        if (denied == null && inTime != null) {
            reconnector.worked(inTime.deadline.began());
        } else if (denied != null && denied.saysReadOnly() && used == reconnector.connection()) {
            reconnector.leave(denied);
        }
    }

    /** Every error from Redis is a {@link Response}, and so are some errors that the client creates itself. */
    private static boolean isConnectionLost(Throwable cause) {
        return !(cause instanceof Response) || cause.getMessage().startsWith("CONNECTION_CLOSED")
                || cause.getMessage().startsWith("ILLEGAL_STATE");
    }
}
