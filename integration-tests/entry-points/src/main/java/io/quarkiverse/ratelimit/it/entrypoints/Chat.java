package io.quarkiverse.ratelimit.it.entrypoints;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.OnClose;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnOpen;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.quarkus.websockets.next.WebSocketConnection;
import io.smallrye.mutiny.Uni;

/** The annotation on the class counts messages only. */
@WebSocket(path = "/chat/{room}")
@RateLimited("messages")
public class Chat {

    @OnOpen
    String open() {
        return "welcome";
    }

    @OnTextMessage(broadcast = true)
    Uni<String> message(String text) {
        return Uni.createFrom().item(text);
    }

    @OnError
    String tooFast(RateLimitExceededException denial, WebSocketConnection connection) {
        return "wait " + denial.decision().retryAfterSeconds() + " s";
    }

    @OnClose
    void close() {
        Closed.COUNT.incrementAndGet();
    }
}
