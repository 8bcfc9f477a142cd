package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.Lease;
import io.quarkus.websockets.next.Closed;
import io.quarkus.websockets.next.Connection;
import io.quarkus.websockets.next.HttpUpgradeCheck;
import io.quarkus.websockets.next.UserData.TypedKey;
import io.quarkus.websockets.next.WebSocketConnection;
import io.quarkus.websockets.next.runtime.WebSocketConnectionBase;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Keeps the caller of the handshake with each WebSocket connection, for the key of its messages, and the permits that the
 * connection holds. Permits all upgrades.
 */
@ApplicationScoped
public class WebSocketHandshakes implements HttpUpgradeCheck, RequestCallers.Handshakes {

    private static final TypedKey<HttpCaller> CALLER = new TypedKey<>(HttpCaller.class.getName());
    private static final TypedKey<Lease> LEASE = new TypedKey<>(Lease.class.getName());
    /** Quarkus keeps the connection with the context of each message. */
    private static final String CONNECTION = WebSocketConnectionBase.class.getName();

    private final CallerAddresses addresses;

    WebSocketHandshakes(CallerAddresses addresses) {
        this.addresses = addresses;
    }

    @Override
    public Uni<CheckResult> perform(HttpUpgradeContext handshake) {
        handshake.userData().put(CALLER,
                HttpCaller.ofHandshake(handshake.httpRequest(), handshake.securityIdentity(), addresses,
                        handshake::pathParam));
        return CheckResult.permitUpgrade();
    }

    @Override
    public CurrentRequest current() {
        Context context = Vertx.currentContext();
        if (context == null || !VertxContext.isDuplicatedContext(context)
                || !(context.getLocal(CONNECTION) instanceof Connection connection)) {
            return null;
        }
        HttpCaller caller = connection.userData().get(CALLER);
        return caller == null ? null : new Handshake(caller, connection);
    }

    void closed(@ObservesAsync @Closed WebSocketConnection connection) {
        Lease lease = connection.userData().get(LEASE);
        if (lease != null) {
            lease.release();
        }
    }

    private record Handshake(HttpCaller caller, Connection connection) implements CurrentRequest {

        @Override
        public Lease whileConnected(Lease lease) {
            connection.userData().put(LEASE, lease);
            lease.confirm(connection::isClosed);
            if (connection.isClosed()) {
                lease.release();
            }
            return Lease.NONE;
        }
    }
}
