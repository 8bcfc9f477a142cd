package io.quarkiverse.ratelimit.runtime.engine;

import jakarta.enterprise.inject.Instance;

/** Finds the request in which the current call runs. */
public interface RequestLookup {

    CurrentRequest current();

    /** The lookup of the application; finds nothing in an application without HTTP. */
    static RequestLookup of(Instance<RequestLookup> lookup) {
        return lookup.isResolvable() ? lookup.get() : () -> CurrentRequest.NONE;
    }
}
