package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.vertx.redis.client.Response;

/**
 * Fails or repeats the requests of batches that Redis did not decide. An error from Redis means that nothing was counted. All
 * methods run on the event loop of the queue.
 */
final class BatchFailures {

    /** Prefix of the error of a script whose arguments were computed for another time than the time of Redis. */
    private static final String OTHER_TIME = "OTHERTIME";

    private final Outage outage;
    private final RedirectHandler redirections;
    private final Reconnector reconnector;
    private final Consumer<PendingRequest> repeated;

    BatchFailures(Outage outage, RedirectHandler redirections, Reconnector reconnector, Consumer<PendingRequest> repeated) {
        this.outage = outage;
        this.redirections = redirections;
        this.reconnector = reconnector;
        this.repeated = repeated;
    }

    /** Whether Redis must get the text of the script, over the connection that is still in use. */
    boolean isMissingScript(ScriptConnection used, Throwable cause) {
        return !isLost(used, cause) && cause.getMessage().startsWith("NOSCRIPT");
    }

    /** The requests that wait for their reply. */
    static List<PendingRequest> waiting(Batch batch) {
        List<PendingRequest> waiting = new ArrayList<>();
        for (Batch.Entry entry : batch.entries()) {
            for (PendingRequest request : entry.requests) {
                if (!request.isCompleted()) {
                    waiting.add(request);
                }
            }
        }
        return waiting;
    }

    /** Fails the batch after a mistake in our code. Requests that were not sent are sent one by one, so that only one fails. */
    void failed(Batch batch, Throwable mistake) {
        List<PendingRequest> requests = waiting(batch);
        for (PendingRequest request : requests) {
            if (request.sent || requests.size() == 1) {
                request.fail(mistake);
            } else {
                request.alone = true;
                repeated.accept(request);
            }
        }
    }

    /** Fails or redirects the batch. Returns whether its connection can still be used. */
    boolean failed(Batch batch, ScriptConnection used, Throwable cause) {
        List<PendingRequest> requests = waiting(batch);
        if (isLost(used, cause)) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", cause);
            if (!requests.isEmpty()) {
                requests.forEach(request -> request.fail(lost));
                outage.begin(lost);
            }
            reconnector.replace(used, lost);
            return false;
        }
        boolean usable = redirections.follow(requests, cause.getMessage());
        if (!usable || !requests.isEmpty()) {
            RedisStoreException failure = failUncharged(requests, cause.getMessage());
            if (!usable) {
                reconnector.markUnavailable(failure);
            }
        }
        return usable;
    }

    private boolean isLost(ScriptConnection used, Throwable cause) {
        return used != reconnector.connection() || isConnectionLost(cause);
    }

    /** Every error from Redis is a {@link Response}, and so are some errors that the client creates itself. */
    static boolean isConnectionLost(Throwable cause) {
        return !(cause instanceof Response) || cause.getMessage().startsWith("CONNECTION_CLOSED")
                || cause.getMessage().startsWith("ILLEGAL_STATE");
    }

    /**
     * Repeats or fails equal requests for which the script returned an error.
     *
     * @param earlier the failure of other requests of the batch
     * @return the failure, {@code earlier} if all requests are repeated
     */
    RedisStoreException repeatOrFail(List<PendingRequest> requests, String error, RedisStoreException earlier) {
        List<PendingRequest> failed = new ArrayList<>();
        for (PendingRequest pending : requests) {
            if (error.startsWith(OTHER_TIME) && pending.tryRepeat()) {
                pending.sent = false;
                repeated.accept(pending);
            } else {
                failed.add(pending);
            }
        }
        return failed.isEmpty() ? earlier : failUncharged(failed, error);
    }

    /** Replaces the connection if Redis is a replica now. */
    void markUnavailableIfReadOnly(ScriptConnection used, RedisStoreException failure) {
        if (failure.isReadOnly() && used == reconnector.connection()) {
            reconnector.markUnavailable(failure);
        }
    }

    private RedisStoreException failUncharged(List<PendingRequest> requests, String error) {
        RedisStoreException failure = RedisStoreException.error(error);
        outage.error(failure);
        requests.forEach(request -> request.failUncharged(failure));
        return failure;
    }
}
