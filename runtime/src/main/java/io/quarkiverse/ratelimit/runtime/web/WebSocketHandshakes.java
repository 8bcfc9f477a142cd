package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkus.websockets.next.Connection;
import io.quarkus.websockets.next.HttpUpgradeCheck;
import io.quarkus.websockets.next.UserData.TypedKey;
import io.quarkus.websockets.next.runtime.WebSocketConnectionBase;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Keeps the sender of the handshake with each WebSocket connection, for the key of its messages. Permits all upgrades. */
@ApplicationScoped
public class WebSocketHandshakes implements HttpUpgradeCheck, HandshakeLookup {

    private static final TypedKey<HttpCaller> CALLER = new TypedKey<>(HttpCaller.class.getName());
    /** Quarkus keeps the connection with the context of each message. */
    private static final String CONNECTION = WebSocketConnectionBase.class.getName();

    private final RequestCallers callers;

    WebSocketHandshakes(RequestCallers callers) {
        this.callers = callers;
    }

    @Override
    public Uni<CheckResult> perform(HttpUpgradeContext handshake) {
        handshake.userData().put(CALLER, callers.of(handshake.httpRequest(), handshake.securityIdentity())
                .at(handshake::pathParam));
        return CheckResult.permitUpgrade();
    }

    @Override
    public HttpCaller current() {
        Context context = Vertx.currentContext();
        return context != null && VertxContext.isDuplicatedContext(context)
                && context.getLocal(CONNECTION) instanceof Connection connection
                        ? connection.userData().get(CALLER)
                        : null;
    }
}
