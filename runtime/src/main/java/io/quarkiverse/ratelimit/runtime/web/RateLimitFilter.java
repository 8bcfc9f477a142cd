package io.quarkiverse.ratelimit.runtime.web;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.enterprise.context.ApplicationScoped;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestFilter;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to guarded resource methods: after Quarkus' authentication and authorization, before any other
 * filter, without blocking the event loop.
 */
@ApplicationScoped
public class RateLimitFilter implements ResteasyReactiveContainerRequestFilter {

    private final Guards guards;
    private final Engine engine;
    private final RequestCallers callers;
    private final AnswerHeaders headers;
    private final Map<ResteasyReactiveResourceInfo, Guard> guardOfMethod = new ConcurrentHashMap<>();

    RateLimitFilter(Guards guards, Engine engine, RequestCallers callers, AnswerHeaders headers) {
        this.guards = guards;
        this.engine = engine;
        this.callers = callers;
        this.headers = headers;
    }

    @Override
    public void filter(ResteasyReactiveContainerRequestContext context) {
        ResteasyReactiveRequestContext request = (ResteasyReactiveRequestContext) context.getServerRequestContext();
        Guard guard = guardOf(request.getResteasyReactiveResourceInfo());
        if (guard.isEmpty()) {
            return;
        }
        context.suspend();
        RoutingContext routing = request.unwrap(RoutingContext.class);
        AtomicBoolean over = new AtomicBoolean();
        Cancellable waiting = callers.of(routing, guard.needsPrincipal())
                .chain(caller -> engine.decide(guard, caller))
                .subscribe().with(outcome -> {
                    if (over.compareAndSet(false, true)) {
                        answer(request, routing, outcome);
                    } else {
                        outcome.lease().release();
                    }
                }, context::resume);
        if (engine.mayWait(guard)) {
            routing.addEndHandler(ended -> {
                if (over.compareAndSet(false, true)) {
                    waiting.cancel();
                    request.close();
                }
            });
        }
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
        headers.write(outcome, routing.response());
        RateLimitExceededException refusal = outcome.refusal();
        if (refusal == null) {
            RunningRequest.hold(outcome.lease(), request, routing);
            request.resume();
        } else {
            Refused.remember(routing, outcome, refusal);
            // keeps the target, by which the resource's own exception mappers are found
            request.resume(refusal, true);
        }
    }
}
