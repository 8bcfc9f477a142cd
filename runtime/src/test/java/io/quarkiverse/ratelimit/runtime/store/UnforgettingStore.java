package io.quarkiverse.ratelimit.runtime.store;

import java.util.function.LongSupplier;

/** Makes stores that decide in memory and forget nothing, so that their time may go back. */
public final class UnforgettingStore {

    private UnforgettingStore() {
    }

    public static LimitStore withTime(LongSupplier micros) {
        return new LocalStore(micros, new StateMap(false));
    }
}
