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

import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;

/**
 * Puts a filter before the guarded resource methods of RESTEasy Classic, behind Quarkus' security checks. It does so when
 * the application is built, so that the configuration is still to come; and by the method's signature alone, since RESTEasy
 * says only in which class or interface the path is declared.
 */
@ApplicationScoped
public class ClassicFeature implements DynamicFeature {

    /** Quarkus' security checks have the priority before. */
    private static final int PRIORITY = Priorities.AUTHENTICATION + 1;

    private final Set<String> guarded = new HashSet<>();

    @Inject
    ClassicDecisions decisions;

    @Inject
    void guard(PolicyUsers users) {
        for (GuardedMethod method : users.methods()) {
            if (method.byFilter()) {
                guarded.add(method.signature());
            }
        }
    }

    @Override
    public void configure(ResourceInfo resource, FeatureContext context) {
        Method method = resource.getResourceMethod();
        if (guarded.contains(GuardedMethod.signature(method.getName(), method.getParameterTypes()))) {
            context.register(new ClassicFilter(decisions, method), PRIORITY);
        }
    }
}
