package io.quarkiverse.ratelimit.runtime.web;

import java.lang.reflect.Method;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;

/**
 * Adds a filter to the resource methods of RESTEasy Classic, after Quarkus' security checks. This happens when the
 * application is built, before the configuration can be read. The filter finds out whether its method is limited, as RESTEasy
 * provides only the class or interface that declares the path.
 */
@ApplicationScoped
public class ClassicFeature implements DynamicFeature {

    /** Directly after Quarkus' security checks. */
    private static final int PRIORITY = Priorities.AUTHENTICATION + 1;

    @Inject
    ClassicDecisions decisions;

    @Override
    public void configure(ResourceInfo resource, FeatureContext context) {
        context.register(new MethodFilter(decisions, resource.getResourceMethod()), PRIORITY);
    }

    /** Decides the requests to one method of one resource, if it is limited, and connects them to the decision of a route. */
    private static final class MethodFilter implements ContainerRequestFilter {

        private final ClassicDecisions decisions;
        private final Method method;
        private volatile CallRules rules;

        MethodFilter(ClassicDecisions decisions, Method method) {
            this.decisions = decisions;
            this.method = method;
        }

        @Override
        public void filter(ContainerRequestContext request) {
            decisions.connectToRoutes();
            CallRules cached = rules;
            if (cached == null) {
                cached = decisions.rulesOf(resourceOf(request), method);
                rules = cached;
            }
            if (!cached.charges().isEmpty() && cached.method().byFilter() && !decisions.allow(cached)) {
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
