package io.quarkiverse.ratelimit.runtime.web;

import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkus.arc.Arc;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/** Finds the caller of a request, with its identity only where that is needed. */
public final class RequestCallers implements RequestLookup {

    private final CallerAddresses addresses;
    private final CurrentVertxRequest current;
    private final CurrentIdentityAssociation identity;
    private final PathParameters pathParameters;
    private final Work.Current work;
    private final HandshakeLookup handshakes;
    private final RequestDecisions decisions;

    /**
     * @param identity the identity of calls that are not HTTP requests; {@code null} for an application without
     *        security
     */
    RequestCallers(CallerAddresses addresses, CurrentVertxRequest current, CurrentIdentityAssociation identity,
            PathParameters pathParameters, Work.Current work, HandshakeLookup handshakes, RequestDecisions decisions) {
        this.addresses = addresses;
        this.current = current;
        this.identity = identity;
        this.pathParameters = pathParameters;
        this.work = work;
        this.handshakes = handshakes;
        this.decisions = decisions;
    }

    /** The caller of a request; always the same object for the same request. */
    HttpCaller caller(RoutingContext routing) {
        return HttpCaller.of(routing, addresses);
    }

    HttpCaller caller(HttpServerRequest handshake, Uni<SecurityIdentity> identity) {
        return HttpCaller.of(handshake, identity, addresses);
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
            return identity == null ? CurrentRequest.NONE
                    : () -> new CallerWithoutRequest(identity);
        }
        HttpCaller caller = caller(routing);
        UnaryOperator<String> parameters = pathParameters.ofCurrentMethod();
        if (parameters != null) {
            caller.withPathParameters(parameters);
        }
        return new Current(caller, routing, work.get(), decisions);
    }

    /** The caller of a call that is not an HTTP request. */
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
        public boolean decided(Outcome outcome, RateLimitException denial) {
            try {
                return decisions.apply(outcome, denial, routing, work);
            } catch (RuntimeException e) {
                decisions.failed(outcome, e);
                throw e;
            }
        }

        @Override
        public void countByStatus(Outcome outcome) {
            decisions.countByStatus(outcome, routing, work);
        }

        @Override
        public Lease whileServed(Lease lease) {
            return ResponseLease.holdDuringCall(lease, routing, work);
        }
    }
}
