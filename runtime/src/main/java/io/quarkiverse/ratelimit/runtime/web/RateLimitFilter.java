package io.quarkiverse.ratelimit.runtime.web;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestFilter;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.store.Undecorated;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to guarded resource methods without blocking any thread: after Quarkus' authentication and
 * authorization, before any other filter, or where arguments count just before the method is called.
 */
@ApplicationScoped
public class RateLimitFilter implements ResteasyReactiveContainerRequestFilter {

    private static final Object[] NO_ARGUMENTS = {};

    private final Guards guards;
    private final Engine engine;
    private final RequestCallers callers;
    private final RequestAnswers answers;
    private final Map<ResteasyReactiveResourceInfo, Guard> guardOfMethod = new ConcurrentHashMap<>();

    RateLimitFilter(Guards guards, Engine engine, RequestCallers callers, RequestAnswers answers) {
        this.guards = guards;
        this.engine = engine;
        this.callers = callers;
        this.answers = answers;
    }

    @Override
    public void filter(ResteasyReactiveContainerRequestContext context) {
        decide((ResteasyReactiveRequestContext) context.getServerRequestContext(), NO_ARGUMENTS);
    }

    /**
     * Decides a request.
     *
     * @param arguments of the method's call, as far as they are known
     * @throws IllegalArgumentException when one of them is to be the cost and cannot
     */
    void decide(ResteasyReactiveRequestContext request, Object[] arguments) {
        Guard all = guardOf(request.getResteasyReactiveResourceInfo());
        Guard guard = all.isEmpty() ? all : all.costing(arguments);
        if (guard.isEmpty()) {
            return;
        }
        Object[] keys = guard.keyArguments(arguments);
        request.suspend();
        RoutingContext routing = request.unwrap(RoutingContext.class);
        HttpCaller sender = callers.of(routing).at(name -> request.getPathParameter(name, false));
        Uni<Outcome> decision = guard.needsIdentity()
                ? sender.identity().chain(() -> engine.decide(guard, sender, keys))
                : Undecorated.deferred(() -> engine.decide(guard, sender, keys));
        DecidedRequest.await(decision, routing, engine.mayWait(guard), outcome -> answer(request, routing, outcome),
                request::resume, request::close);
    }

    private Guard guardOf(ResteasyReactiveResourceInfo method) {
        Guard guard = guardOfMethod.get(method);
        if (guard == null) {
            guard = guards.of(method.getResourceClass(), method.getName(), method.getParameterTypes());
            guardOfMethod.put(method, guard);
        }
        return guard;
    }

    private void answer(ResteasyReactiveRequestContext request, RoutingContext routing, Outcome outcome) {
        RateLimitExceededException refusal = outcome.refusal();
        answers.decided(outcome, refusal, routing, ResourceWork.endOf(request));
        if (refusal == null) {
            RunningRequest.hold(outcome.lease(), request, routing);
            // now that it is known what serves the request, it is known when that ends
            RunningRequest.hold(ResponseLease.of(routing), request, routing);
            request.resume();
        } else {
            // keeps the target, by which the resource's own exception mappers are found
            request.resume(refusal, true);
        }
    }
}
