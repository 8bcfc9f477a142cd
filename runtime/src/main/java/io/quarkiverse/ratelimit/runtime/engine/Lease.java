package io.quarkiverse.ratelimit.runtime.engine;

import java.util.function.BooleanSupplier;

import io.smallrye.mutiny.Uni;

/** The permits that a call holds while it runs. */

public interface Lease {

    /** Nothing is held. */
    Lease NONE = () -> Uni.createFrom().voidItem();

    /**
     * Gives them back now, whether anybody subscribes or not; repeating it has no effect. Completes when the store has
     * answered, or has not for a second: then it is tried again in the background.
     */
    Uni<Void> release();

    /**
     * Says that somebody will release it: one that nobody holds, as the call was cancelled before it knew of it, is released
     * instead of renewed.
     *
     * @param ended releases it also when this is so before it is to be renewed
     */
    default void hold(BooleanSupplier ended) {
    }

    /** Says that somebody will release it. */
    default Lease hold() {
        hold(() -> false);
        return this;
    }
}
