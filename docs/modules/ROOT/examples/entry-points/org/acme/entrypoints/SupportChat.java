package org.acme.entrypoints;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;

/** A chat in which each address may send some messages per minute. */
// tag::chat[]
@WebSocket(path = "/support/{room}")
public class SupportChat {

    @OnTextMessage(broadcast = true)
    @RateLimited("support-messages")
    String message(String text) {
        return text;
    }

    @OnError
    String tooFast(RateLimitExceededException denial) {
        return "Please wait " + denial.decision().retryAfterSeconds() + " s.";
    }
}
// end::chat[]
