package io.quarkiverse.ratelimit.runtime.web;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.core.ResteasyContext;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Await;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
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
    private final RequestLookup requests;
    private final CurrentVertxRequest current;
    private final ClassicWork.OfResource resource;

    ClassicDecisions(RuleRegistry registry, Engine engine, RequestLookup requests, CurrentVertxRequest current,
            ClassicWork.OfResource resource) {
        this.registry = registry;
        this.engine = engine;
        this.requests = requests;
        this.current = current;
        this.resource = resource;
    }

    /**
     * Connects the request to the decision of a route, and waits until it may go ahead.
     *
     * @param type of the resource, which the rules of its inherited methods depend on
     * @return {@code false} when its client leaves before that
     * @throws WebApplicationException when its client leaves while it is delayed
     */
    boolean allow(Class<?> type) {
        RoutingContext routing = current.getCurrent();
        if (routing.get(RouteFilter.DECIDED) != null) {
            RouteFilter.servedBy(resource.get(), routing);
        }
        CallRules rules = registry.rules(type, ResteasyContext.getContextData(ResourceInfo.class).getResourceMethod());
        if (rules.charges().isEmpty() || !rules.method().byFilter()) {
            return true;
        }
        CurrentRequest request = requests.current();
        Uni<Outcome> decision = request.callerFor(rules)
                .chain(caller -> engine.decide(rules, caller, CallParameters.NO_ARGUMENTS));
        Outcome outcome = Await.result(request.whileClientWaits(decision, rules));
        RateLimitException denial = outcome.newDenial();
        boolean left = request.apply(outcome, denial);
        if (denial != null) {
            throw denial;
        }
        if (!left && outcome.lease() != Lease.NONE) {
            ResponseLease.hold(outcome.lease(), routing, resource.get());
        }
        return !left;
    }

    /** Runs after Quarkus' security checks. RESTEasy creates it before the configuration can be read. */
    @ApplicationScoped
    @Priority(Priorities.AUTHENTICATION + 1)
    public static class Filter implements ContainerRequestFilter {

        @Inject
        ClassicDecisions decisions;

        @Override
        public void filter(ContainerRequestContext request) {
            if (!decisions.allow(resourceOf(request))) {
                request.abortWith(Response.noContent().build());
            }
        }

        /** The class of the resource that serves the request, without the proxy or subclass of its bean. */
        private static Class<?> resourceOf(ContainerRequestContext request) {
            Class<?> type = request.getUriInfo().getMatchedResources().get(0).getClass();
            while (type.isSynthetic()) {
                type = type.getSuperclass();
            }
            return type;
        }
    }
}
