package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.runtime.store.Charge;

/**
 * What one policy is asked for a call.
 *
 * @param caller the stored form of the caller's key
 */
record Asked(Charge charge, String caller) {

    /** The same where the instance counts for itself alone. */
    Asked local() {
        return new Asked(charge.local(), caller);
    }
}
