package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Counts calls, in Redis or in memory. Decides all limits of a request together: charges all of them, or none when an enforced
 * limit denies the call.
 */
public interface LimitStore {

    /**
     * Decides a request. Each subscription sends it once. A failure means that this store cannot decide; the call may
     * still have been charged.
     *
     * @param deadline when the reply must be there at the latest
     */
    Uni<StoreReply> decide(StoreRequest request, Deadline deadline);

    /** Decides a request that no call waits for. Each subscription has the usual time. */
    Uni<StoreReply> decide(StoreRequest request);

    /**
     * Returns whether keys may lie on different servers, as in a cluster. Then a request contains the keys of only one caller.
     */
    default boolean isSharded() {
        return false;
    }
}
