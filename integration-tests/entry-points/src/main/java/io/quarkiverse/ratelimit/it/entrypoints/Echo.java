package io.quarkiverse.ratelimit.it.entrypoints;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.quarkus.websockets.next.WebSocketConnection;

/** Limits each connection for itself, on a worker thread, without an error handler. */
@WebSocket(path = "/echo")
public class Echo {

    @OnTextMessage
    @RateLimited("messages-of-connection")
    String message(String text, @RateLimitKey WebSocketConnection connection) {
        return text;
    }
}
