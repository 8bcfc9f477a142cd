package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;
import java.util.Objects;

import io.quarkiverse.ratelimit.runtime.redis.AssembledScript.ScriptCall;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.redis.client.Response;

/**
 * A request on its way to Redis: to decide, or to run another script. It completes once, with a reply or a failure. Once a
 * queue has accepted it, all methods run on the event loop of that queue. A subscriber that cancels discards the result, but
 * Redis still gets the request.
 */
public final class PendingRequest {

    private static final int MAX_TRIES = 16;

    /** {@code null} for another script. */
    public final StoreRequest request;
    /** {@code null} for a decision. */
    public final ScriptCall script;
    final Deadline deadline;
    /** Requests with equal keys share batches. One that needs a batch of its own is its own key. */
    public Object batchKey;
    /** Whether Redis may have counted it: it is in a batch, and Redis has not replied to it with an error. */
    public boolean mayBeCounted;
    /** The equal requests in the same batch that it acquires for, too. */
    List<PendingRequest> equal;
    /** The queue that got the request last. */
    RedisQueue queue;
    /** {@code null} when the request is completed. */
    private UniEmitter<?> emitter;
    /** The failure of a request whose reply may still arrive; {@code null} if there is none. */
    private RedisStoreException failure;
    private int tries;

    /** @param deadline of the decision; this request may be only a part of it */
    PendingRequest(StoreRequest request, Deadline deadline, UniEmitter<? super StoreReply> emitter) {
        this.request = request;
        this.script = null;
        this.deadline = deadline;
        this.emitter = emitter;
    }

    /** A request to run a script that decides nothing. */
    PendingRequest(ScriptCall script, Deadline deadline, UniEmitter<? super Response> emitter) {
        this.request = null;
        this.script = script;
        this.deadline = deadline;
        this.emitter = emitter;
        this.batchKey = this;
    }

    public boolean isCompleted() {
        return emitter == null;
    }

    /** Whether both may be in the same batch. */
    boolean goesWith(PendingRequest other) {
        return Objects.equals(batchKey, other.batchKey);
    }

    /** Counts another try of a request that Redis has not counted. Returns whether it may be made. */
    public boolean mayTryAgain() {
        return tries++ < MAX_TRIES;
    }

    /** @param cause a {@link RedisStoreException}, or a mistake in our code */
    public void fail(Throwable cause) {
        UniEmitter<?> waiting = emitter;
        emitter = null;
        if (waiting != null) {
            failure = mayBeCounted && cause instanceof RedisStoreException known ? known.afterSending() : null;
            try {
                waiting.fail(failure == null ? cause : failure);
            } catch (Throwable mistake) {
                Infrastructure.handleDroppedException(mistake);
            }
        }
    }

    /** Fails the request after an error from Redis, which has not counted it. */
    public void failUncounted(RedisStoreException failure) {
        mayBeCounted = false;
        fail(failure);
    }

    /**
     * Completes the request, or passes on a reply that arrives after the failure. An exception of the subscriber does not
     * prevent the replies to other requests.
     *
     * @param reply a {@link StoreReply} to a decision, else the {@link Response}
     */
    @SuppressWarnings("unchecked")
    void complete(Object reply) {
        UniEmitter<Object> waiting = (UniEmitter<Object>) emitter;
        emitter = null;
        try {
            if (waiting != null) {
                waiting.complete(reply);
            } else if (failure != null && reply instanceof StoreReply late) {
                failure.replied(late);
            }
        } catch (Throwable mistake) {
            Infrastructure.handleDroppedException(mistake);
        }
    }
}
