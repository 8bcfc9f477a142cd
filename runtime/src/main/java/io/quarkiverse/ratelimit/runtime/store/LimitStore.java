package io.quarkiverse.ratelimit.runtime.store;

import io.smallrye.mutiny.Uni;

/** Decides whether a call goes ahead. Charges all its limits, or none when an enforced limit denies. */
@FunctionalInterface
public interface LimitStore {

    /**
     * Decides a call. Each subscription sends one request. A failure means that this store cannot decide; the call may
     * still have been charged.
     *
     * @return the time by the store's clock, in microseconds since the epoch; then the numbers of every limit in the
     *         order of the request, {@link io.quarkiverse.ratelimit.runtime.algorithm.LimitRule#WIDTH} each
     */
    Uni<long[]> decide(StoreRequest question);

    /**
     * Decides a call that began earlier, such as one that is decided part by part. All its parts together take no
     * longer than one request may.
     *
     * @param began when the call began, by {@link System#nanoTime}
     */
    default Uni<long[]> decide(StoreRequest question, long began) {
        return decide(question);
    }

    /** Whether one request can contain several callers, whose keys may lie in different places. */
    default boolean decidesTogether() {
        return true;
    }
}
