package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.List;

/** Receives what happens to a connection and to the batches on it, on the event loop of the connection. */
interface ConnectionListener {

    /** Handles a new connection that is ready. */
    void connected();

    /** Handles that Redis is unavailable, or no longer used. */
    void unavailable(Throwable cause);

    /** Handles requests that Redis has not counted, because their arguments were for another time. */
    void sentForOtherTime(List<PendingRequest> requests);

    /**
     * Handles requests to which Redis has replied with an error, and which it has not counted.
     *
     * @return false if they fail with this error
     */
    boolean redirected(List<PendingRequest> requests, String error);

    /** Handles the end of a batch: its reply has arrived, or it has failed. */
    void batchEnded();
}
