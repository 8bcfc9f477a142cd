package io.quarkiverse.ratelimit.runtime.entry.classic;

import java.util.List;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;

import org.jboss.resteasy.core.ResteasyContext;

import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.entry.http.LimitedRequest;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Await;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to resource methods of RESTEasy Classic, on the worker thread that serves them. The first request
 * creates it, as the filters exist before the configuration can be read.
 */
@ApplicationScoped
public class ClassicDecisions {

    private final RuleRegistry registry;
    private final Engine engine;
    private final CurrentVertxRequest current;
    private final ClassicWork.OfResource resource;
    private final LimitedRequest.Shared shared;

    ClassicDecisions(RuleRegistry registry, Engine engine, CurrentVertxRequest current, ClassicWork.OfResource resource,
            LimitedRequest.Shared shared) {
        this.registry = registry;
        this.engine = engine;
        this.current = current;
        this.resource = resource;
        this.shared = shared;
    }

    /**
     * Connects the request to the decisions for it before its method, and waits until it may go ahead.
     *
     * @param type of the resource, which the rules of its inherited methods depend on
     * @throws RuntimeException if it is denied, or its client leaves before that
     */
    void awaitDecision(Class<?> type) {
        RoutingContext routing = current.getCurrent();
        LimitedRequest known = routing.get(LimitedRequest.KEY);
        if (known != null) {
            known.servedBy(resource.get());
        }
        CallRules rules = registry.rules(type, ResteasyContext.getContextData(ResourceInfo.class).getResourceMethod());
        if (rules.charges().isEmpty() || !rules.method().byFilter()) {
            return;
        }
        LimitedRequest request = LimitedRequest.of(routing, resource.get(), shared);
        Uni<Outcome> decision = request.callerFor(rules)
                .chain(caller -> engine.decide(rules, caller, List.of()));
        Outcome outcome = Await.result(request.whileClientWaits(decision, rules));
        RuntimeException failure = request.apply(outcome, outcome.newDenial());
        if (failure != null) {
            throw failure;
        }
        request.hold(outcome.lease());
    }

    /** Runs after Quarkus' security checks. RESTEasy creates it before the configuration can be read. */
    @ApplicationScoped
    @Priority(Priorities.AUTHENTICATION + 1)
    public static class Filter implements ContainerRequestFilter {

        @Inject
        ClassicDecisions decisions;

        @Override
        public void filter(ContainerRequestContext request) {
            decisions.awaitDecision(resourceOf(request));
        }

        /** Returns the class of the resource that serves the request, without the proxy or subclass of its bean. */
        private static Class<?> resourceOf(ContainerRequestContext request) {
            Class<?> type = request.getUriInfo().getMatchedResources().get(0).getClass();
            while (type.isSynthetic()) {
                type = type.getSuperclass();
            }
            return type;
        }
    }
}
