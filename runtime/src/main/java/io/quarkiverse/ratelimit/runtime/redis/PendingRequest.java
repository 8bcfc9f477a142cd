package io.quarkiverse.ratelimit.runtime.redis;

import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A request on its way to Redis. It completes once, with a reply or a failure. All methods run on the event loop of its
 * queue, except {@link #cancel}: it discards the result, but Redis still gets the request.
 */
final class PendingRequest implements UniSubscription {

    private static final int MAX_REDIRECTIONS = 16;

    final StoreRequest question;
    final int limits;
    final long asked;
    final long deadline;
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
    private UniSubscriber<? super long[]> caller;
    private volatile boolean cancelled;
    private boolean repeated;
    private int redirected;

    /**
     * @param asked when the decision began; this request may be only a part of it
     * @param timeout nanoseconds from that time until the request fails
     */
    PendingRequest(StoreRequest question, long asked, long timeout, UniSubscriber<? super long[]> caller) {
        this.question = question;
        this.limits = question.limits();
        this.asked = asked;
        this.deadline = asked + timeout;
        this.caller = caller;
    }

    @Override
    public void cancel() {
        cancelled = true;
    }

    boolean isAnswered() {
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
        UniSubscriber<? super long[]> waiting = caller;
        caller = null;
        if (waiting != null && !cancelled) {
            waiting.onFailure(sent ? failure.unheard() : failure);
        }
    }

    /** Fails the request after an error from Redis, which has not counted it. */
    void deny(RedisStoreException denied) {
        sent = false;
        fail(denied);
    }

    boolean isLate(long now) {
        return deadline - now <= 0;
    }

    void failLate() {
        fail(RedisStoreException.late());
    }

    void answer(long[] numbers) {
        UniSubscriber<? super long[]> waiting = caller;
        caller = null;
        if (waiting != null && !cancelled) {
            waiting.onItem(numbers);
        }
    }
}
