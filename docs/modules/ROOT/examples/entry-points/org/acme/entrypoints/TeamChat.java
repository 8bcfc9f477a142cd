package org.acme.entrypoints;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.security.Authenticated;
import io.quarkus.websockets.next.CloseReason;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnOpen;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.quarkus.websockets.next.WebSocketConnection;
import io.smallrye.mutiny.Uni;

/** A chat in which each user may have some connections at the same time. */
// tag::chat[]
@Authenticated
@WebSocket(path = "/team")
public class TeamChat {

    @OnOpen
    @RateLimited("team-connections")
    String open() {
        return "Welcome.";
    }

    @OnError
    Uni<Void> tooMany(RateLimitExceededException denial, WebSocketConnection connection) {
        return connection.close(new CloseReason(1013, "Too many connections."));
    }
    // end::chat[]

    @OnTextMessage(broadcast = true)
    String message(String text) {
        return text;
    }
    // tag::chat[]
}
// end::chat[]
