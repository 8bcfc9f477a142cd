package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Sends a request once for each subscription. */
final class RequestUni extends AbstractUni<long[]> {

    private final StoreRequest question;
    private final LongSupplier began;
    private final long timeout;
    private final Consumer<PendingRequest> queue;

    /**
     * @param began when the decision began, by {@link System#nanoTime}
     * @param timeout nanoseconds that it may take
     * @param queue sends the request
     */
    RequestUni(StoreRequest question, LongSupplier began, long timeout, Consumer<PendingRequest> queue) {
        this.question = question;
        this.began = began;
        this.timeout = timeout;
        this.queue = queue;
    }

    @Override
    public void subscribe(UniSubscriber<? super long[]> caller) {
        PendingRequest pending = new PendingRequest(question, began.getAsLong(), timeout, caller);
        caller.onSubscribe(pending);
        try {
            queue.accept(pending);
        } catch (RuntimeException e) {
            pending.fail(new RedisStoreException("The event loop of the Redis connection accepts no requests", e));
        }
    }
}
