package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.redis.RedirectHandler.Unfollowed;
import io.quarkiverse.ratelimit.runtime.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;

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
    private final RedisQueue queue;

    BatchFailures(Outage outage, RedirectHandler redirections, Reconnector reconnector, RedisQueue queue) {
        this.outage = outage;
        this.redirections = redirections;
        this.reconnector = reconnector;
        this.queue = queue;
    }

    /** Whether Redis must get the text of the script, over the connection that is still in use. */
    boolean isMissingScript(ScriptConnection used, Throwable cause) {
        return !isLost(used, cause) && cause.getMessage().startsWith("NOSCRIPT");
    }

    /** Fails the batch after a mistake in our code. Requests that were not sent are sent one by one, so that only one fails. */
    void failedByMistake(Batch batch, Throwable mistake) {
        List<PendingRequest> requests = batch.uncompleted();
        for (PendingRequest request : requests) {
            if (batch.sent || requests.size() == 1) {
                request.fail(mistake);
            } else {
                request.alone = true;
                queue.repeat(request);
            }
        }
    }

    /** Fails or redirects the batch. */
    void failedByRedis(Batch batch, ScriptConnection used, Throwable cause) {
        List<PendingRequest> requests = batch.uncompleted();
        if (isLost(used, cause)) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", cause);
            if (!requests.isEmpty()) {
                requests.forEach(request -> request.fail(lost));
                outage.begin(lost);
            }
            reconnector.replace(used, lost);
            return;
        }
        Unfollowed rest = redirections.follow(requests, cause.getMessage());
        if (!rest.nodeUsable() || !rest.requests().isEmpty()) {
            RedisStoreException failure = failUncharged(rest.requests(), cause.getMessage());
            if (!rest.nodeUsable()) {
                reconnector.markUnavailable(failure);
            }
        }
    }

    private boolean isLost(ScriptConnection used, Throwable cause) {
        return used != reconnector.connection || RedisStoreException.isConnectionLost(cause);
    }

    /** Repeats or fails equal requests for which the script returned an error. Returns the failure if one has failed. */
    RedisStoreException repeatOrFail(List<PendingRequest> requests, String error) {
        List<PendingRequest> failed = new ArrayList<>();
        for (PendingRequest pending : requests) {
            if (error.startsWith(OTHER_TIME) && pending.tryRepeat()) {
                queue.repeat(pending);
            } else {
                failed.add(pending);
            }
        }
        return failed.isEmpty() ? null : failUncharged(failed, error);
    }

    /** Replaces the connection if Redis is a replica now. */
    void markUnavailableIfReadOnly(ScriptConnection used, RedisStoreException failure) {
        if (failure.isReadOnly() && used == reconnector.connection) {
            reconnector.markUnavailable(failure);
        }
    }

    private RedisStoreException failUncharged(List<PendingRequest> requests, String error) {
        RedisStoreException failure = RedisStoreException.error(error);
        outage.beginWithError(failure);
        requests.forEach(request -> request.failUncharged(failure));
        return failure;
    }
}
