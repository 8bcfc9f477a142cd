package io.quarkiverse.ratelimit.deployment.openapi;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.EmptyIndex;
import org.jboss.jandex.MethodInfo;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.runtime.entry.openapi.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.smallrye.openapi.api.OpenApiConfig;
import io.smallrye.openapi.runtime.scanner.FilteredIndexView;

/**
 * Marks limited operations in an OpenAPI document. {@link LimitsInForce} describes them when the application starts, because
 * the configuration is known then.
 */
public final class LimitedOperations implements OASFilter {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** Extension with the Java method of an operation. Quarkus adds it for its filters and removes it after this one. */
    private static final String METHOD = "x-quarkus-openapi-method-ref";

    private final Map<String, Set<String>> policies = new HashMap<>();

    public LimitedOperations(List<FoundMethod> methods) {
        for (FoundMethod found : methods) {
            if (found.limited().resource()) {
                for (MethodInfo method : found.declarations()) {
                    add(found.type(), method, found.limited().uses());
                    if (method.declaringClass().isAbstract()) {
                        add(method.declaringClass(), method, found.limited().uses());
                    }
                }
            }
        }
    }

    /** @param resource the class of the resource, or the interface or abstract class that has the path */
    private void add(ClassInfo resource, MethodInfo method, List<PolicyUse> uses) {
        Set<String> names = policies.computeIfAbsent(reference(resource, method), ignored -> new LinkedHashSet<>());
        uses.forEach(use -> names.add(use.policy()));
    }

    /** Builds the reference in the same way as Quarkus, from the identity of the class. */
    private static String reference(ClassInfo resource, MethodInfo method) {
        return "m" + resource.hashCode() + "_" + method.hashCode();
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        if (policies.isEmpty() || document.getPaths() == null || document.getPaths().getPathItems() == null) {
            return;
        }
        boolean identified = false;
        for (PathItem path : document.getPaths().getPathItems().values()) {
            for (Operation operation : path.getOperations().values()) {
                Object method = operation.getExtensions() == null ? null : operation.getExtensions().get(METHOD);
                identified |= method != null;
                if (policies.containsKey(method)) {
                    LimitsInForce.mark(operation, policies.get(method));
                }
            }
        }
        if (!identified) {
            LOG.warn("The OpenAPI document does not describe rate limits. Set quarkus.smallrye-openapi.auto-add-tags=true or"
                    + " quarkus.smallrye-openapi.auto-add-operation-summary=true to identify the methods of its operations.");
        }
        if (!isFilterFound()) {
            new LimitsInForce().filterOpenAPI(document);
        }
    }

    /** Returns whether Quarkus runs {@link LimitsInForce}. It ignores filters outside of the packages that it scans. */
    private static boolean isFilterFound() {
        return new FilteredIndexView(EmptyIndex.INSTANCE, OpenApiConfig.fromConfig(ConfigProvider.getConfig()))
                .accepts(DotName.createSimple(LimitsInForce.class));
    }
}
