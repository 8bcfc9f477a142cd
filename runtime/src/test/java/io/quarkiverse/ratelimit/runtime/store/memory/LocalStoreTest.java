package io.quarkiverse.ratelimit.runtime.store.memory;

import io.quarkiverse.ratelimit.runtime.store.LimitChangesContract;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;

/** The store in memory keeps what every store promises. */
class LocalStoreTest extends LimitChangesContract {

    private final LocalStore store = new LocalStore(clock::get);

    @Override
    protected LimitStore store() {
        return store;
    }
}
