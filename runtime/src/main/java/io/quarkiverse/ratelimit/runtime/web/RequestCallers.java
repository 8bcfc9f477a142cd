package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkus.arc.Arc;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** Finds the caller of a request, with its identity only where that is needed. */
@Singleton
public final class RequestCallers implements RequestLookup {

    private final CallerAddresses addresses;
    private final CurrentVertxRequest current;
    /** The identity of calls that are not HTTP requests; {@code null} for an application without security. */
    private final CurrentIdentityAssociation identity;
    private final Work.Current work;
    private final Handshakes handshakes;
    private final RequestDecisions decisions;

    RequestCallers(CallerAddresses addresses, CurrentVertxRequest current, Instance<CurrentIdentityAssociation> identities,
            Instance<Work.Current> work, Instance<Handshakes> handshakes, RequestDecisions decisions) {
        this.addresses = addresses;
        this.current = current;
        this.identity = identities.isResolvable() ? identities.get() : null;
        this.work = work.isResolvable() ? work.get() : () -> Work.UNKNOWN;
        this.handshakes = handshakes.isResolvable() ? handshakes.get() : () -> null;
        this.decisions = decisions;
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
        HttpCaller caller = HttpCaller.of(routing, addresses);
        Work ofMethod = work.get();
        if (ofMethod != Work.UNKNOWN) {
            caller.setPathParameters(ofMethod::pathParameter);
        }
        return new Current(caller, routing, ofMethod, decisions);
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

    private record Current(HttpCaller caller, RoutingContext routing, Work work,
            RequestDecisions decisions) implements CurrentRequest {

        @Override
        public Uni<Outcome> whileClientWaits(Uni<Outcome> decision, CallRules rules) {
            return decisions.whileClientWaits(decision, rules, routing, work);
        }

        @Override
        public boolean apply(Outcome outcome, RateLimitException denial) {
            try {
                return decisions.apply(outcome, denial, routing, work);
            } catch (RuntimeException e) {
                decisions.failed(outcome, e);
                throw e;
            }
        }

        @Override
        public void refundByStatusAtEnd(Outcome outcome) {
            decisions.refundByStatusAtEnd(outcome, routing, work);
        }

        @Override
        public Lease whileServed(Lease lease) {
            return ResponseLease.holdDuringCall(lease, routing, work);
        }
    }
}
