package io.quarkiverse.ratelimit.runtime.engine;

/** Finds the request in which the call runs that is made at the moment. */
public interface CurrentRequests {

    CurrentRequest current();
}
