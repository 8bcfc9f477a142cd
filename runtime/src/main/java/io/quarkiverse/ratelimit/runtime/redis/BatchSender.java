package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.redis.DecideScript.ReplyReader;
import io.quarkiverse.ratelimit.runtime.redis.RedisQueue.RedirectHandler;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;
import io.vertx.core.AsyncResult;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Sends batches over the connection of one event loop and distributes their replies. All methods run on that loop. A batch is
 * one command, and a batch without a reply is never sent again. An error from Redis means that nothing was counted.
 */
record BatchSender(RedisQueue queue, Reconnector reconnector, DecideScript script, RedirectHandler redirections) {

    /** Prefix of the error of a calendar window whose arguments were for another time. The reply has the right time. */
    private static final String OTHER_TIME = "OTHERTIME";

    void send(Batch batch, ScriptConnection connection, boolean withText) {
        try {
            Request command = batch.first.script == null ? script.command(batch.requests(), withText)
                    : script.command(batch.first.script, withText);
            // in a later task, because the client queues commands that are sent while it reads replies
            connection.send(command).onComplete(result -> queue.loop.run(() -> replied(batch, connection, withText, result)));
        } catch (Throwable mistake) {
            failedByMistake(batch, mistake);
        }
    }

    private void replied(Batch batch, ScriptConnection connection, boolean withText, AsyncResult<Response> result) {
        boolean inTime = !ScriptConnection.isTooLong(System.nanoTime() - batch.taken, queue.timeout);
        connection.replied(inTime);
        try {
            if (result.failed()) {
                failed(batch, connection, withText, result.cause());
            } else if (batch.first.script != null) {
                batch.first.complete(result.result());
            } else {
                distribute(batch, connection, new ReplyReader(result.result()), inTime);
            }
        } catch (Throwable mistake) {
            failedByMistake(batch, mistake);
        }
        queue.afterBatch();
    }

    /** Completes the requests of a batch. Those made for another time are repeated until their deadline. */
    private void distribute(Batch batch, ScriptConnection connection, ReplyReader reply, boolean inTime) {
        script.recordTime(reply.time);
        RedisStoreException failure = null;
        for (PendingRequest entry : batch.entries) {
            String error = reply.errorOfNext();
            if (error == null) {
                Batch.complete(entry, reply.next(entry.request));
            } else if (error.startsWith(OTHER_TIME)) {
                Batch.all(entry).forEach(queue::repeat);
            } else {
                RedisStoreException latest = RedisStoreException.error(error);
                failUncounted(Batch.all(entry), latest);
                failure = failure == null || latest.isReadOnly() ? latest : failure;
            }
        }
        if (failure == null && inTime) {
            queue.outage.endIfBefore(batch.taken);
        } else if (failure != null && failure.isReadOnly() && connection == reconnector.connection) {
            reconnector.markUnavailable(failure);
        }
    }

    /** Repeats, redirects or fails the requests of a batch that Redis did not decide. */
    private void failed(Batch batch, ScriptConnection used, boolean withText, Throwable cause) {
        List<PendingRequest> requests = batch.uncompleted();
        boolean decides = batch.first.script == null;
        // a connection that was replaced meanwhile counts as lost: its errors do not concern the new one
        if (used != reconnector.connection || RedisStoreException.isConnectionLost(cause)) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", cause);
            requests.forEach(request -> request.fail(lost));
            if (decides && !requests.isEmpty()) {
                queue.outage.begin(lost);
            }
            reconnector.replace(used, lost);
        } else if (!withText && cause.getMessage().startsWith("NOSCRIPT")) {
            sendWithText(requests, used);
        } else if (!redirections.follow(requests, cause.getMessage())) {
            RedisStoreException failure = RedisStoreException.error(cause.getMessage());
            if (!decides) {
                requests.forEach(request -> request.failUncounted(failure));
                return;
            }
            failUncounted(requests, failure);
            if (!failure.concernsOnlySlot()) {
                reconnector.markUnavailable(failure);
            }
        }
    }

    private void sendWithText(List<PendingRequest> requests, ScriptConnection connection) {
        if (!requests.isEmpty()) {
            Batch batch = new Batch(requests.get(0), requests.size());
            requests.forEach(batch::add);
            send(batch, connection, true);
        }
    }

    /** Fails requests after an error from Redis, which has not counted them. */
    private void failUncounted(List<PendingRequest> requests, RedisStoreException failure) {
        queue.outage.beginWithError(failure);
        requests.forEach(request -> request.failUncounted(failure));
    }

    /** Fails the batch after a mistake in our code. */
    private static void failedByMistake(Batch batch, Throwable mistake) {
        batch.uncompleted().forEach(request -> request.fail(mistake));
    }
}
