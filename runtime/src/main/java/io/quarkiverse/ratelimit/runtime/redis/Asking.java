package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.store.Question;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Asks a question once for each subscription. */
final class Asking extends AbstractUni<long[]> {

    private final Question question;
    private final LongSupplier began;
    private final long timeout;
    private final Consumer<Pending> lane;

    /**
     * @param began since when the call is decided, by {@link System#nanoTime}
     * @param timeout how many nanoseconds it may take
     * @param lane takes the question on its way
     */
    Asking(Question question, LongSupplier began, long timeout, Consumer<Pending> lane) {
        this.question = question;
        this.began = began;
        this.timeout = timeout;
        this.lane = lane;
    }

    @Override
    public void subscribe(UniSubscriber<? super long[]> caller) {
        Pending pending = new Pending(question, began.getAsLong(), timeout, caller);
        caller.onSubscribe(pending);
        try {
            lane.accept(pending);
        } catch (RuntimeException e) {
            pending.fail(new RedisStoreException("The event loop of Redis takes no questions", e));
        }
    }
}
