package io.quarkiverse.ratelimit.runtime.store;

import io.smallrye.mutiny.Uni;

/** Decides whether a call goes ahead: all its limits are charged, or none when an enforced one refuses. */
@FunctionalInterface
public interface LimitStore {

    /**
     * The time by the store's clock, in microseconds since the epoch, and the numbers of every limit of the question,
     * {@link io.quarkiverse.ratelimit.runtime.algorithm.LimitRule#WIDTH} each, in its order. Each subscription asks once. A
     * failure means that this store cannot say; the call may have
     * been charged all the same.
     */
    Uni<long[]> decide(Question question);

    /**
     * Does the same for a call that was begun then, such as one that is decided part by part in turn, so that the whole
     * takes no longer than one question may.
     *
     * @param began by {@link System#nanoTime}
     */
    default Uni<long[]> decide(Question question, long began) {
        return decide(question);
    }

    /** Whether one question can be about several callers, whose keys may lie apart. */
    default boolean decidesTogether() {
        return true;
    }
}
