package io.quarkiverse.ratelimit.runtime.engine;

/** Finds the request in which the current call runs. */
public interface RequestLookup {

    CurrentRequest current();
}
