package io.quarkiverse.ratelimit.runtime.engine;

import jakarta.enterprise.inject.Instance;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.smallrye.mutiny.Uni;

/** Provides the caller of the request in which a call runs, and applies decisions to its response. */
public interface CurrentRequest {

    CurrentRequest NONE = () -> Caller.UNKNOWN;

    /** Returns the caller, not yet authenticated. */
    Caller caller();

    /** Returns the caller for these rules, which is authenticated if they need that. */
    default Uni<Caller> callerFor(CallRules rules) {
        return rules.needsIdentity() ? authenticated() : Uni.createFrom().item(caller());
    }

    /** Returns the caller for these plans, which is authenticated if they need that. */
    default Uni<Caller> callerFor(PlanTable plans) {
        return plans.needsIdentity() ? authenticated() : Uni.createFrom().item(caller());
    }

    private Uni<Caller> authenticated() {
        Caller caller = caller();
        return caller.identity().replaceWith(caller);
    }

    /** Cancels a decision that may be delayed when the client leaves, and then fails, so that the request is not served. */
    default Uni<Outcome> whileClientWaits(Uni<Outcome> decision, CallRules rules) {
        return decision;
    }

    /**
     * Applies the decision for the resource method that serves the request.
     *
     * @param denial {@code null} where the call is allowed
     * @return why the request fails: the denial, or a failure if its client has left, so that it was refunded; {@code null}
     *         if the request may go ahead
     */
    default RuntimeException apply(Outcome outcome, RateLimitException denial) {
        return denial;
    }

    /**
     * Refunds an allowed call within the request if the response has a status for which its policies do not count.
     *
     * @return whether there is a response, so that its status decides
     */
    default boolean refundByStatusAtEnd(Outcome outcome) {
        return false;
    }

    /**
     * Holds the permits of a call that serves the request until the response is complete.
     *
     * @return what the call itself must hold
     */
    default Lease whileServed(Lease lease) {
        return lease;
    }

    /**
     * Holds the permits of a call that begins a connection until the connection closes.
     *
     * @return what the call itself must hold: the same lease where there is no connection
     */
    default Lease whileConnected(Lease lease) {
        return lease;
    }

    /** Finds the request in which the current call runs. */
    interface RequestLookup {

        CurrentRequest current();

        /** Returns the lookup of the application; it finds nothing in an application without HTTP. */
        static RequestLookup of(Instance<RequestLookup> lookup) {
            return lookup.isResolvable() ? lookup.get() : () -> CurrentRequest.NONE;
        }
    }
}
