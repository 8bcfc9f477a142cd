package io.quarkiverse.ratelimit.it.entrypoints;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.smallrye.mutiny.Uni;

/** Limits messages by their reader and by their address. */
@WebSocket(path = "/search")
public class Search {

    public record Terms(String reader, String text) {
    }

    @OnTextMessage
    @RateLimited("by-argument")
    @RateLimited("calls")
    Uni<String> message(@RateLimitKey(value = "reader", policies = "by-argument") Terms terms) {
        return Uni.createFrom().item("found");
    }

    @OnError
    String tooFast(RateLimitExceededException denial) {
        return denial.decision().policy();
    }
}
