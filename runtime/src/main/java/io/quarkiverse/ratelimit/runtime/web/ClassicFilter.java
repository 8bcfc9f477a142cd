package io.quarkiverse.ratelimit.runtime.web;

import java.lang.reflect.Method;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.runtime.engine.Guard;

/** Has the requests to one method of one resource of RESTEasy Classic decided. */
final class ClassicFilter implements ContainerRequestFilter {

    private final ClassicDecisions decisions;
    private final Method method;
    private volatile Guard guard;

    ClassicFilter(ClassicDecisions decisions, Method method) {
        this.decisions = decisions;
        this.method = method;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        Guard known = guard;
        if (known == null) {
            known = decisions.guardOf(resourceOf(request), method);
            guard = known;
        }
        if (!known.isEmpty() && !decisions.admit(known)) {
            request.abortWith(Response.noContent().build());
        }
    }

    /** The class of the resource that is to serve the request, which may be a bean with a proxy or a subclass. */
    private static Class<?> resourceOf(ContainerRequestContext request) {
        Class<?> type = request.getUriInfo().getMatchedResources().get(0).getClass();
        while (type.isSynthetic()) {
            type = type.getSuperclass();
        }
        return type;
    }
}
