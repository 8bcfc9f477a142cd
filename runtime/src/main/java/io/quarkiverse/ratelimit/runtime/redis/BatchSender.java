package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;
import io.quarkiverse.ratelimit.runtime.redis.script.DecideScript;
import io.quarkiverse.ratelimit.runtime.redis.script.DecideScript.ReplyReader;
import io.quarkiverse.ratelimit.runtime.redis.script.EqualRequests;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Sends batches over the connection of one event loop and distributes their replies. All methods run on that loop. A batch is
 * one command, and a batch without a reply is never sent again.
 */
final class BatchSender {

    private final EventLoop loop;
    private final DecideScript script;
    private final Reconnector reconnector;
    private final BatchFailures failures;
    private final RedisQueue queue;
    private final long timeout;

    /** @param timeout how many nanoseconds a decision may take */
    BatchSender(EventLoop loop, DecideScript script, Outage outage, RedirectHandler redirections, Reconnector reconnector,
            RedisQueue queue, long timeout) {
        this.loop = loop;
        this.script = script;
        this.reconnector = reconnector;
        this.failures = new BatchFailures(outage, redirections, reconnector, queue);
        this.queue = queue;
        this.timeout = timeout;
    }

    /**
     * Sends the batch over the connection that is ready.
     *
     * @param withText whether Redis gets the text of the script, which also loads it
     */
    void send(Batch batch, ScriptConnection connection, boolean withText) {
        try {
            Request command = script.call(batch.requests(), withText);
            batch.sent = true;
            Future<Response> reply = batch.entries.get(0).get(0).asking ? connection.sendAsking(command)
                    : connection.send(command);
            // continue after the connection has been read: the client queues commands that are sent while it reads
            reply.onComplete(result -> loop.run(() -> replied(batch, connection, withText, result)));
        } catch (Throwable mistake) {
            failures.failedByMistake(batch, mistake);
        }
    }

    private void replied(Batch batch, ScriptConnection connection, boolean withText, AsyncResult<Response> result) {
        boolean inTime = !ScriptConnection.isTooLong(System.nanoTime() - batch.taken, timeout);
        connection.replied(inTime);
        try {
            if (result.failed()) {
                failed(batch, connection, withText, result.cause());
            } else if (distribute(batch, connection, new ReplyReader(result.result())) && inTime) {
                reconnector.decided(batch.taken);
            }
        } catch (Throwable mistake) {
            failures.failedByMistake(batch, mistake);
        }
        queue.afterBatch();
    }

    private void failed(Batch batch, ScriptConnection connection, boolean withText, Throwable cause) {
        if (!withText && failures.isMissingScript(connection, cause)) {
            sendWithText(batch.uncompleted(), connection);
        } else {
            failures.failedByRedis(batch, connection, cause);
        }
    }

    private void sendWithText(List<PendingRequest> requests, ScriptConnection connection) {
        if (!requests.isEmpty()) {
            Batch batch = new Batch(requests.size());
            requests.forEach(batch::add);
            send(batch, connection, true);
        }
    }

    /** Returns whether Redis has failed none of the requests. */
    private boolean distribute(Batch batch, ScriptConnection connection, ReplyReader reply) {
        script.recordTime(reply.time);
        RedisStoreException failure = null;
        for (List<PendingRequest> entry : batch.entries) {
            String error = reply.errorOfNext();
            if (error != null) {
                RedisStoreException failed = failures.repeatOrFail(entry, error);
                failure = failed == null ? failure : failed;
            } else if (entry.size() == 1) {
                entry.get(0).complete(reply.next(entry.get(0).request));
            } else {
                completeEqual(entry, reply.next(entry.get(0).request));
            }
        }
        if (failure != null) {
            failures.markUnavailableIfReadOnly(connection, failure);
        }
        return failure == null;
    }

    /** Completes equal requests with the reply to all of them. */
    static void completeEqual(List<PendingRequest> equal, StoreReply reply) {
        List<StoreReply> replies = EqualRequests.divided(equal.get(0).request, equal.size(), reply);
        for (int i = 0; i < equal.size(); i++) {
            equal.get(i).complete(replies.get(i));
        }
    }
}
