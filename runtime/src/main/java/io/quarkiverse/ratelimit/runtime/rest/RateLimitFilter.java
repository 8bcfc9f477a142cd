package io.quarkiverse.ratelimit.runtime.rest;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestFilter;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.engine.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.web.DecisionWait;
import io.quarkiverse.ratelimit.runtime.web.RequestCallers;
import io.quarkiverse.ratelimit.runtime.web.RequestDecisions;
import io.quarkiverse.ratelimit.runtime.web.ResponseLease;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to limited resource methods without blocking any thread. It runs after Quarkus' authentication and
 * authorization and before any other filter. Where arguments count, it runs just before the method is called.
 */
@ApplicationScoped
public class RateLimitFilter implements ResteasyReactiveContainerRequestFilter {

    private static final Object[] NO_ARGUMENTS = {};

    private final RuleRegistry registry;
    private final Engine engine;
    private final RequestCallers callers;
    private final RequestDecisions answers;
    private final Map<ResteasyReactiveResourceInfo, CallRules> rulesOfMethod = new ConcurrentHashMap<>();

    RateLimitFilter(RuleRegistry registry, Engine engine, RequestCallers callers, RequestDecisions answers) {
        this.registry = registry;
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
     * @param arguments the arguments of the method, as far as they are known
     * @throws IllegalArgumentException when the cost argument is not a valid cost
     */
    void decide(ResteasyReactiveRequestContext request, Object[] arguments) {
        CallRules all = rulesOf(request.getResteasyReactiveResourceInfo());
        CallRules rules = all.isEmpty() ? all : all.costing(arguments);
        if (rules.isEmpty()) {
            return;
        }
        Object[] keys = rules.keyArguments(arguments);
        request.suspend();
        RoutingContext routing = request.unwrap(RoutingContext.class);
        HttpCaller sender = callers.of(routing).at(name -> request.getPathParameter(name, false));
        Uni<Outcome> decision = rules.needsIdentity()
                ? sender.identity().chain(() -> engine.decide(rules, sender, keys))
                : PlainUni.deferred(() -> engine.decide(rules, sender, keys));
        DecisionWait.await(decision, routing, engine.mayWait(rules), outcome -> answer(request, routing, outcome),
                request::resume, request::close);
    }

    private CallRules rulesOf(ResteasyReactiveResourceInfo method) {
        CallRules rules = rulesOfMethod.get(method);
        if (rules == null) {
            rules = registry.of(method.getResourceClass(), method.getName(), method.getParameterTypes());
            rulesOfMethod.put(method, rules);
        }
        return rules;
    }

    private void answer(ResteasyReactiveRequestContext request, RoutingContext routing, Outcome outcome) {
        RateLimitException denial = outcome.denial();
        answers.decided(outcome, denial, routing, RunningRequest.endOf(request));
        if (denial == null) {
            RunningRequest.hold(outcome.lease(), request, routing);
            // the resource method is known only now, and so is the end of its work
            RunningRequest.hold(ResponseLease.of(routing), request, routing);
            request.resume();
        } else {
            // keeps the target, which is needed to find the resource's own exception mappers
            request.resume(denial, true);
        }
    }
}
