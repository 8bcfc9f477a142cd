package io.quarkiverse.ratelimit.runtime.entry.http;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkus.arc.Arc;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** Finds the request in which a call runs, or only its caller if it is not an HTTP request. */
@Singleton
public final class RequestCallers implements RequestLookup {

    private final CurrentVertxRequest current;
    /** The identity of calls that are not HTTP requests; {@code null} for an application without security. */
    private final CurrentIdentityAssociation identity;
    private final Work.Current work;
    private final Handshakes handshakes;
    private final LimitedRequest.Shared shared;

    RequestCallers(CurrentVertxRequest current, Instance<CurrentIdentityAssociation> identities, Instance<Work.Current> work,
            Instance<Handshakes> handshakes, LimitedRequest.Shared shared) {
        this.current = current;
        this.identity = identities.isResolvable() ? identities.get() : null;
        this.work = work.isResolvable() ? work.get() : () -> Work.UNKNOWN;
        this.handshakes = handshakes.isResolvable() ? handshakes.get() : () -> null;
        this.shared = shared;
    }

    /** Finds the request that opened the WebSocket connection of the current call. */
    interface Handshakes {

        /** {@code null} for a call that does not belong to such a connection. */
        CurrentRequest current();
    }

    @Override
    public CurrentRequest current() {
        CurrentRequest handshake = handshakes.current();
        if (handshake != null) {
            return handshake;
        }
        if (!Arc.container().requestContext().isActive()) {
            return CurrentRequest.NONE;
        }
        RoutingContext routing = current.getCurrent();
        if (routing == null) {
            return identity == null ? CurrentRequest.NONE : () -> new CallerWithoutRequest(identity);
        }
        return LimitedRequest.of(routing, work.get(), shared);
    }

    private static final class CallerWithoutRequest implements Caller {

        private final CurrentIdentityAssociation association;
        private volatile SecurityIdentity identity;

        CallerWithoutRequest(CurrentIdentityAssociation association) {
            this.association = association;
        }

        @Override
        public Uni<SecurityIdentity> identity() {
            return Uni.createFrom().deferred(association::getDeferredIdentity).invoke(known -> identity = known);
        }

        @Override
        public SecurityIdentity knownIdentity() {
            return identity;
        }
    }
}
