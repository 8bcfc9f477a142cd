package io.quarkiverse.ratelimit.runtime.store;

import java.util.function.LongSupplier;

/** Creates stores that decide in memory and evict nothing, so that their time may go back. */
public final class UnboundedStore {

    private UnboundedStore() {
    }

    public static LimitStore withTime(LongSupplier micros) {
        return new LocalStore(micros, new StateMap() {

            @Override
            Object stored(State state, long now) {
                return state.stored;
            }

            @Override
            void sweep(int count, long now) {
            }
        });
    }
}
