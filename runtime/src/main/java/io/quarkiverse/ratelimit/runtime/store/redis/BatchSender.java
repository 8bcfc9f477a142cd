package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript.ReplyReader;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Decide;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Run;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Sendable;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.ScriptConnection;
import io.vertx.core.AsyncResult;
import io.vertx.redis.client.Response;

/**
 * Sends batches over the connection of one event loop and distributes their replies. All methods run on that loop. A batch is
 * one command, and a batch without a reply is never sent again. An error from Redis means that nothing was counted.
 */
record BatchSender(EventLoop loop, DecideScript script, Outage outage, long timeout, Reconnector reconnector,
        ConnectionListener listener) {

    /**
     * Prefix of the error of a calendar window whose arguments were computed for another time. The reply has the time of Redis.
     */
    private static final String OTHER_TIME = "OTHERTIME";

    void send(Sendable command, ScriptConnection connection, boolean withText) {
        long sent = System.nanoTime();
        try {
            // in a later task, because the client queues commands that are sent while it reads replies
            connection.send(command.command(script, withText))
                    .onComplete(result -> loop.run(() -> replied(command, connection, withText, sent, result)));
        } catch (Throwable mistake) {
            failAll(command.uncompleted(), mistake);
        }
    }

    private void replied(Sendable command, ScriptConnection connection, boolean withText, long sent,
            AsyncResult<Response> result) {
        boolean inTime = !ScriptConnection.isTooLong(System.nanoTime() - sent, timeout);
        connection.replied(inTime);
        try {
            if (result.failed()) {
                failed(command, connection, withText, result.cause());
            } else if (command instanceof Batch batch) {
                distribute(batch, connection, sent, inTime, new ReplyReader(result.result()));
            } else {
                ((Run) command).complete(result.result());
            }
        } catch (Throwable mistake) {
            failAll(command.uncompleted(), mistake);
        }
        listener.batchEnded();
    }

    /** Completes the requests of a batch. Those made for another time are repeated until their deadline. */
    private void distribute(Batch batch, ScriptConnection connection, long sent, boolean inTime, ReplyReader reply) {
        script.recordTime(reply.time);
        RedisStoreException failure = null;
        for (Decide entry : batch.entries) {
            String error = reply.errorOfNext();
            if (error == null) {
                Batch.complete(entry, reply.next(entry.request));
            } else if (error.startsWith(OTHER_TIME)) {
                listener.sentForOtherTime(markUncounted(Batch.all(entry)));
            } else {
                RedisStoreException latest = RedisStoreException.error(error);
                failWithError(markUncounted(Batch.all(entry)), latest);
                failure = failure == null || latest.isReadOnly() ? latest : failure;
            }
        }
        if (failure == null && inTime) {
            outage.endIfBefore(sent);
        } else if (failure != null && failure.isReadOnly() && !connection.isReplaced()) {
            reconnector.markUnavailable(failure);
        }
    }

    /** Repeats, redirects or fails the requests of a command that failed. */
    private void failed(Sendable command, ScriptConnection used, boolean withText, Throwable cause) {
        List<PendingRequest> requests = command.uncompleted();
        boolean decides = command instanceof Batch;
        // a connection that was replaced meanwhile counts as lost: its errors do not concern the new one
        if (used.isReplaced() || ScriptConnection.isConnectionLost(cause)) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", cause);
            failAll(requests, lost);
            if (decides && !requests.isEmpty()) {
                outage.begin(lost);
            }
            reconnector.replace(used, lost);
        } else if (!withText && cause.getMessage().startsWith("NOSCRIPT")) {
            Sendable again = Batch.next(new ArrayDeque<>(markUncounted(requests)));
            if (again != null) {
                send(again, used, true);
            }
        } else if (!listener.redirected(markUncounted(requests), cause.getMessage())) {
            RedisStoreException failure = RedisStoreException.error(cause.getMessage());
            if (!decides) {
                failAll(requests, failure);
                return;
            }
            failWithError(requests, failure);
            if (!failure.concernsOnlySlot()) {
                reconnector.markUnavailable(failure);
            }
        }
    }

    /** Marks requests as those that Redis has not counted, because it replied with an error. */
    private static List<PendingRequest> markUncounted(List<PendingRequest> requests) {
        requests.forEach(request -> request.mayBeCounted = false);
        return requests;
    }

    private void failWithError(List<PendingRequest> decisions, RedisStoreException failure) {
        outage.beginWithError(failure);
        failAll(decisions, failure);
    }

    private static void failAll(List<PendingRequest> requests, Throwable cause) {
        requests.forEach(request -> request.fail(cause));
    }
}
