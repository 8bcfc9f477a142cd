package io.quarkiverse.ratelimit.runtime.engine;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.store.Charge;

/**
 * Holds what a call of one guarded method is charged.
 *
 * @param method the guarded method, as {@code com.acme.QuoteResource#quote()}
 * @param resource whether the method serves HTTP requests, which the filter decides
 * @param charges of every policy that is in force; empty when none is
 */
public record Guard(String method, boolean resource, List<Charge> charges) {

    public Guard {
        charges = List.copyOf(charges);
    }

    public boolean isEmpty() {
        return charges.isEmpty();
    }

    /** Whether a call may be held back. */
    public boolean mayWait() {
        for (Charge charge : charges) {
            if (charge.policy().mayWait()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the caller's name must be known before the call is decided. */
    public boolean needsPrincipal() {
        for (Charge charge : charges) {
            if (charge.policy().key() != null && charge.policy().key().needsPrincipal()) {
                return true;
            }
        }
        return false;
    }
}
