package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.OnClose;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnOpen;
import io.quarkus.websockets.next.OnPongMessage;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.quarkus.websockets.next.WebSocketConnection;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;

/** The annotation on the class counts messages only. */
@WebSocket(path = "/chat/{room}")
@RateLimited("messages")
public class Chat {

    static final AtomicInteger PONGS = new AtomicInteger();

    @OnOpen
    String open() {
        return "welcome";
    }

    @OnTextMessage(broadcast = true)
    Uni<String> message(String text) {
        return Uni.createFrom().item(text);
    }

    @OnPongMessage
    void pong(Buffer data) {
        PONGS.incrementAndGet();
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
