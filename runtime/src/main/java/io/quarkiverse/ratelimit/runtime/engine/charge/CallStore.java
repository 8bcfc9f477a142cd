package io.quarkiverse.ratelimit.runtime.engine.charge;

import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.smallrye.mutiny.Uni;

/** Decides calls by requests to a store. */
public interface CallStore {

    /** Decides a call. Each subscription sends its request once. */
    Uni<StoreReply> decide(Call call, Deadline deadline);

    /** See {@link LimitStore#isSharded}. */
    boolean isSharded();

    /** Sends each request as it is. */
    static CallStore of(LimitStore store) {
        return new CallStore() {

            @Override
            public Uni<StoreReply> decide(Call call, Deadline deadline) {
                return store.decide(call.request(), deadline);
            }

            @Override
            public boolean isSharded() {
                return store.isSharded();
            }
        };
    }
}
