package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.quarkus.websockets.next.WebSocketConnection;

/** Limits each connection for itself, on a worker thread, without an error handler. */
@WebSocket(path = "/echo")
public class Echo {

    private final Replies replies;

    Echo(Replies replies) {
        this.replies = replies;
    }

    @OnTextMessage
    String message(String text, WebSocketConnection connection) {
        return replies.to(connection.id(), text);
    }

    @ApplicationScoped
    public static class Replies {

        @RateLimited("messages-of-connection")
        String to(@RateLimitKey String connection, String text) {
            return text;
        }
    }
}
