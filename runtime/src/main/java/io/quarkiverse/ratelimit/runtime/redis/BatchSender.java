package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.AsyncResult;
import io.vertx.redis.client.Command;
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
    private final Runnable replied;

    /**
     * @param repeated called with each request that must be sent once more
     * @param replied called after each reply, unless it showed that the connection cannot be used
     */
    BatchSender(EventLoop loop, DecideScript script, Outage outage, RedirectHandler redirections, Reconnector reconnector,
            Consumer<PendingRequest> repeated, Runnable replied) {
        this.loop = loop;
        this.script = script;
        this.reconnector = reconnector;
        this.failures = new BatchFailures(outage, redirections, reconnector, repeated);
        this.replied = replied;
    }

    /** Sends the batch over the connection that is ready. */
    void send(Batch batch, ScriptConnection connection) {
        try {
            send(batch, connection, script.evalsha(batch.requests()));
        } catch (Throwable mistake) {
            failures.failed(batch, mistake);
        }
    }

    private void send(Batch batch, ScriptConnection connection, Request command) {
        connection.sent();
        for (Batch.Entry entry : batch.entries()) {
            for (PendingRequest pending : entry.requests) {
                pending.sent = true;
            }
        }
        if (batch.isAsking()) {
            connection.redis().send(Request.cmd(Command.ASKING));
        }
        connection.redis().send(command)
                // continue after the connection has been read: the client queues commands that are sent while it reads
                .onComplete(result -> loop.run(() -> {
                    if (isInTime(batch)) {
                        connection.replied();
                    } else {
                        connection.repliedTooLate();
                    }
                    replied(batch, connection, command, result);
                }));
    }

    private static boolean isInTime(Batch batch) {
        for (Batch.Entry entry : batch.entries()) {
            if (entry.lastWaiting() != null) {
                return true;
            }
        }
        return false;
    }

    private void replied(Batch batch, ScriptConnection connection, Request command, AsyncResult<Response> result) {
        boolean usable = true;
        try {
            usable = distributeOrFail(batch, connection, command, result);
        } catch (Throwable mistake) {
            failures.failed(batch, mistake);
        }
        if (usable) {
            replied.run();
        }
    }

    /** Returns whether the connection can still be used. */
    private boolean distributeOrFail(Batch batch, ScriptConnection connection, Request command, AsyncResult<Response> result) {
        if (result.succeeded()) {
            distribute(batch, connection, new ReplyReader(result.result()));
        } else if (command.command() == Command.EVALSHA && failures.isMissingScript(connection, result.cause())) {
            List<PendingRequest> requests = BatchFailures.waiting(batch);
            if (!requests.isEmpty()) {
                Batch again = new Batch(requests.size());
                requests.forEach(again::add);
                // the text of the script also loads it
                send(again, connection, script.eval(again.requests()));
            }
        } else {
            return failures.failed(batch, connection, result.cause());
        }
        return true;
    }

    private void distribute(Batch batch, ScriptConnection connection, ReplyReader reply) {
        script.recordTime(reply.time());
        PendingRequest inTime = null;
        RedisStoreException failure = null;
        for (Batch.Entry entry : batch.entries()) {
            String error = reply.errorOfNext();
            if (error == null) {
                PendingRequest last = entry.lastWaiting();
                inTime = last == null ? inTime : last;
                entry.complete(reply.next(entry.first().request));
            } else {
                failure = failures.repeatOrFail(entry.requests, error, failure);
            }
        }
        if (failure != null) {
            failures.markUnavailableIfReadOnly(connection, failure);
        } else if (inTime != null) {
            reconnector.decided(inTime.deadline.began());
        }
    }
}
