package io.quarkiverse.ratelimit.it.entrypoints;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.security.Authenticated;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;

@Authenticated
@WebSocket(path = "/user-chat")
public class UserChat {

    @OnTextMessage
    @RateLimited("calls-by-user")
    String message(String text) {
        return text;
    }

    @OnError
    String tooFast(RateLimitExceededException denial) {
        return "denied";
    }
}
