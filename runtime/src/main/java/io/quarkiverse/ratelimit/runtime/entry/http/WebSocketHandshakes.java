package io.quarkiverse.ratelimit.runtime.entry.http;

import java.time.Duration;
import java.util.concurrent.CancellationException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.platform.vertx.ServedRequest;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkus.websockets.next.Closed;
import io.quarkus.websockets.next.Connection;
import io.quarkus.websockets.next.HttpUpgradeCheck;
import io.quarkus.websockets.next.UserData.TypedKey;
import io.quarkus.websockets.next.WebSocketConnection;
import io.quarkus.websockets.next.runtime.WebSocketConnectionBase;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/**
 * Keeps the caller of the handshake with each WebSocket connection, for the key of its messages, and the permits that the
 * connection holds. Permits all upgrades.
 */
@ApplicationScoped
public class WebSocketHandshakes implements HttpUpgradeCheck, RequestCallers.Handshakes {

    private static final TypedKey<HttpCaller> CALLER = new TypedKey<>(HttpCaller.class.getName());
    private static final TypedKey<Lease> LEASE = new TypedKey<>(Lease.class.getName());
    private static final TypedKey<Uni<Outcome>> CLIENT_LEFT = new TypedKey<>(Outcome.class.getName());
    /** A message that need not wait is decided within this time, and is then handled although its client has left. */
    private static final Duration DECISION = Duration.ofMillis(200);
    /** Quarkus keeps the connection with the context of each message. */
    private static final String CONNECTION = WebSocketConnectionBase.class.getName();

    private final CallerAddresses addresses;
    private final Engine engine;
    private final Timers timers;

    WebSocketHandshakes(CallerAddresses addresses, Engine engine, Vertx vertx) {
        this.addresses = addresses;
        this.engine = engine;
        this.timers = new Timers(vertx);
    }

    @Override
    public Uni<CheckResult> perform(HttpUpgradeContext handshake) {
        handshake.userData().put(CALLER,
                new HttpCaller(handshake.httpRequest(), handshake.securityIdentity(), addresses, handshake::pathParam));
        handshake.userData().put(CLIENT_LEFT, clientLeft(handshake.httpRequest()));
        return CheckResult.permitUpgrade();
    }

    /** Fails when the client of a connection has left. Quarkus logs failures with this message at level DEBUG only. */
    private Uni<Outcome> clientLeft(HttpServerRequest handshake) {
        return Uni.createFrom()
                .<Void> emitter(closed -> ServedRequest.onConnectionClosed(handshake, () -> closed.complete(null)))
                .chain(() -> timers.after(DECISION))
                .<Outcome> chain(() -> {
                    throw new CancellationException("A delayed message is not handled, as its WebSocket is closed");
                }).memoize().indefinitely();
    }

    @Override
    public CurrentRequest current() {
        if (!VertxContext.isOnDuplicatedContext()
                || !(ContextLocals.<Object> get(CONNECTION, null) instanceof Connection connection)) {
            return null;
        }
        HttpCaller caller = connection.userData().get(CALLER);
        return caller == null ? null : new Handshake(caller, connection, engine);
    }

    void closed(@ObservesAsync @Closed WebSocketConnection connection) {
        Lease lease = connection.userData().get(LEASE);
        if (lease != null) {
            lease.release();
        }
    }

    private record Handshake(HttpCaller caller, Connection connection, Engine engine) implements CurrentRequest {

        @Override
        public Uni<Outcome> whileClientWaits(Uni<Outcome> decision, CallRules rules) {
            return engine.mayDelay(rules) ? Uni.combine().any().of(connection.userData().get(CLIENT_LEFT), decision) : decision;
        }

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
