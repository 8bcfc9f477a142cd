package io.quarkiverse.ratelimit.runtime.web;

import java.lang.reflect.Method;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import jakarta.enterprise.context.ApplicationScoped;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.quarkiverse.ratelimit.Await;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequests;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to resource methods of RESTEasy Classic, on the worker thread that is to serve them. It is created by
 * the first of them: the filters exist before the configuration can be read.
 */
@ApplicationScoped
public class ClassicDecisions {

    private final Guards guards;
    private final Engine engine;
    private final CurrentRequests requests;
    private final CurrentVertxRequest current;
    private final ClassicRequest holder;

    ClassicDecisions(Guards guards, Engine engine, CurrentRequests requests, CurrentVertxRequest current,
            ClassicRequest holder) {
        this.guards = guards;
        this.engine = engine;
        this.requests = requests;
        this.current = current;
        this.holder = holder;
    }

    Guard guardOf(Class<?> type, Method method) {
        return guards.of(type, method.getName(), method.getParameterTypes());
    }

    /**
     * Returns when the request may go ahead.
     *
     * @return {@code false} when its client has left before it could
     * @throws RateLimitExceededException when it is refused
     */
    boolean admit(Guard guard) {
        CurrentRequest request = requests.current();
        Uni<Outcome> decision = request.caller(guard.needsIdentity())
                .chain(caller -> engine.decide(guard, caller));
        RoutingContext routing = current.getCurrent();
        Outcome outcome;
        try {
            outcome = engine.mayWait(guard) ? whileClientWaits(decision, routing) : Await.answer(decision);
        } catch (CancellationException clientHasLeft) {
            return false;
        }
        RateLimitExceededException refusal = outcome.refusal();
        request.decided(outcome, refusal);
        if (refusal != null) {
            throw refusal;
        }
        if (outcome.lease() != Lease.NONE) {
            holder.hold(outcome.lease(), routing);
        }
        return true;
    }

    /** Listens to the connection: of a response RESTEasy itself is the only listener. */
    private static Outcome whileClientWaits(Uni<Outcome> decision, RoutingContext routing) {
        CompletableFuture<Outcome> outcome = decision.subscribeAsCompletionStage();
        Future<Void> closed = ((ConnectionBase) routing.request().connection()).channel().closeFuture();
        GenericFutureListener<Future<Void>> clientLeaves = ignored -> outcome.cancel(true);
        closed.addListener(clientLeaves);
        try {
            return Await.answer(Uni.createFrom().completionStage(outcome));
        } finally {
            closed.removeListener(clientLeaves);
        }
    }
}
