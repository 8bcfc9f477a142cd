package io.quarkiverse.ratelimit.runtime.web;

import java.lang.reflect.Method;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;

/**
 * Decides the requests to one method of one resource of RESTEasy Classic, if it is limited, and connects them to the
 * decision of a route.
 */
final class ClassicFilter implements ContainerRequestFilter {

    private final ClassicDecisions decisions;
    private final Method method;
    private volatile CallRules rules;

    ClassicFilter(ClassicDecisions decisions, Method method) {
        this.decisions = decisions;
        this.method = method;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        decisions.connectToRoutes();
        CallRules known = rules;
        if (known == null) {
            known = decisions.rulesOf(resourceOf(request), method);
            rules = known;
        }
        if (!known.isEmpty() && known.method().byFilter() && !decisions.allow(known)) {
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
