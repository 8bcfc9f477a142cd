package io.quarkiverse.ratelimit.runtime.web;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;

/**
 * Adds a filter to the limited resource methods of RESTEasy Classic, after Quarkus' security checks. This happens when
 * the application is built, before the configuration can be read. Methods are matched by their signature alone, as
 * RESTEasy provides only the class or interface that declares the path.
 */
@ApplicationScoped
public class ClassicFeature implements DynamicFeature {

    /** Directly after Quarkus' security checks. */
    private static final int PRIORITY = Priorities.AUTHENTICATION + 1;

    private final Set<String> limited = new HashSet<>();

    @Inject
    ClassicDecisions decisions;

    @Inject
    void rules(PolicyReferences references) {
        for (LimitedMethod method : references.methods()) {
            if (method.byFilter()) {
                limited.add(method.signature());
            }
        }
    }

    @Override
    public void configure(ResourceInfo resource, FeatureContext context) {
        Method method = resource.getResourceMethod();
        if (limited.contains(LimitedMethod.signature(method.getName(), method.getParameterTypes()))) {
            context.register(new ClassicFilter(decisions, method), PRIORITY);
        }
    }
}
