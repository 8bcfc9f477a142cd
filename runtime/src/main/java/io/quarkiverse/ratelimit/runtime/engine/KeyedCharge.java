package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.store.Charge;

/**
 * Pairs a policy's charge for a call with the key of the caller.
 *
 * @param caller the stored form of the caller's key
 */
record KeyedCharge(Charge charge, String caller) {

    /** The same charge where this instance counts for itself alone. */
    KeyedCharge local() {
        return new KeyedCharge(charge.local(), caller);
    }
}
