package io.quarkiverse.ratelimit.runtime.redis;

import io.quarkiverse.ratelimit.runtime.store.Question;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/**
 * A question on its way; it is answered once, by Redis or by a failure. Belongs to its lane's event loop, but for who
 * cancels: the question is asked all the same.
 */
final class Pending implements UniSubscription {

    private static final int MAX_REDIRECTIONS = 16;

    final Question question;
    final int limits;
    final long asked;
    final long deadline;
    /** The slot of its keys in a cluster; all that goes out as one call has the same. */
    int slot;
    /** Whether it goes out as a call of its own, as some of its slot's keys have moved and others have not. */
    boolean alone;
    /** Whether it goes to a node that is about to get the slot, which must be told so. */
    boolean asking;
    /** Whether Redis may have counted it, as it was sent and is not answered. */
    boolean sent;
    /** Where it was asked last. */
    Lane lane;
    private UniSubscriber<? super long[]> caller;
    private volatile boolean cancelled;
    private boolean repeated;
    private int redirected;

    /**
     * @param asked since when the call is decided, of which this may be a part
     * @param timeout nanoseconds from then until it is failed
     */
    Pending(Question question, long asked, long timeout, UniSubscriber<? super long[]> caller) {
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

    /** Whether both may go out as one call. */
    boolean goesWith(Pending other) {
        return slot == other.slot && (this == other || !alone && !other.alone);
    }

    /** Whether it may be asked once more, as nothing was counted. */
    boolean repeat() {
        boolean first = !repeated;
        repeated = true;
        return first;
    }

    /** Whether it may follow another redirection to a node of the cluster, as nothing was counted. */
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

    /** Fails it as Redis has answered so, and has not counted it. */
    void refuse(RedisStoreException refused) {
        sent = false;
        fail(refused);
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
