package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;

/** Finds the request that opened the WebSocket connection of the current call. */
interface HandshakeLookup {

    /** {@code null} for a call that does not belong to such a connection. */
    CurrentRequest current();
}
