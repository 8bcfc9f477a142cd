package io.quarkiverse.ratelimit.runtime.web;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;

/** Finds the sender of the request that opened the WebSocket connection of the current call. */
interface HandshakeLookup {

    /** {@code null} for a call that does not handle a message of such a connection. */
    HttpCaller current();
}
