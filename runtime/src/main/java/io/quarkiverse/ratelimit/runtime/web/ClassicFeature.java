package io.quarkiverse.ratelimit.runtime.web;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;

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
        context.register(new ClassicFilter(decisions, resource.getResourceMethod()), PRIORITY);
    }
}
