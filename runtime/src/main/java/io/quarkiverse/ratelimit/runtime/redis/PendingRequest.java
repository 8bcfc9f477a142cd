package io.quarkiverse.ratelimit.runtime.redis;

import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.subscription.UniEmitter;

/**
 * A request on its way to Redis. It completes once, with a reply or a failure. All methods run on the event loop of its
 * queue. A subscriber that cancels discards the result, but Redis still gets the request.
 */
final class PendingRequest {

    private static final int MAX_REDIRECTIONS = 16;

    final StoreRequest request;
    final Deadline deadline;
    /** The cluster slot of its keys. All requests of a batch have the same slot. */
    int slot;
    /** Whether it needs a batch of its own, because only some keys of its slot have moved. */
    boolean alone;
    /** Whether it goes to a node that is importing the slot, which needs {@code ASKING} first. */
    boolean asking;
    /** Whether Redis may have counted it: it was sent and has no reply yet. */
    boolean sent;
    /** The queue that got the request last. */
    RedisQueue queue;
    private UniEmitter<? super StoreReply> caller;
    private boolean repeated;
    private int redirected;

    /** @param deadline of the decision; this request may be only a part of it */
    PendingRequest(StoreRequest request, Deadline deadline, UniEmitter<? super StoreReply> caller) {
        this.request = request;
        this.deadline = deadline;
        this.caller = caller;
    }

    boolean isCompleted() {
        return caller == null;
    }

    /** Whether both may be in the same batch. */
    boolean goesWith(PendingRequest other) {
        return slot == other.slot && (this == other || !alone && !other.alone);
    }

    /** Whether it may be sent once more; nothing was counted. */
    boolean repeat() {
        boolean first = !repeated;
        repeated = true;
        return first;
    }

    /** Whether it may follow another redirection to a node of the cluster; nothing was counted. */
    boolean redirect() {
        return caller != null && redirected++ < MAX_REDIRECTIONS;
    }

    void fail(RedisStoreException failure) {
        UniEmitter<? super StoreReply> waiting = caller;
        caller = null;
        if (waiting != null) {
            waiting.fail(sent ? failure.afterSending() : failure);
        }
    }

    /** Fails the request after an error from Redis, which has not counted it. */
    void deny(RedisStoreException denied) {
        sent = false;
        fail(denied);
    }

    boolean isLate(long now) {
        return deadline.isOver(now);
    }

    void failLate() {
        fail(RedisStoreException.late());
    }

    void complete(StoreReply reply) {
        UniEmitter<? super StoreReply> waiting = caller;
        caller = null;
        if (waiting != null) {
            waiting.complete(reply);
        }
    }
}
