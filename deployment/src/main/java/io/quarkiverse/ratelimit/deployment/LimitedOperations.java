package io.quarkiverse.ratelimit.deployment;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.responses.APIResponses;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;

/**
 * Describes rate limits in an OpenAPI document. Adds responses for denied calls to every limited operation, and rate limit
 * headers to its successful responses. Does not change responses and headers that the application describes.
 */
final class LimitedOperations implements OASFilter {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** The extension with the Java method of an operation. Quarkus adds it for its filters and removes it after this one. */
    private static final String METHOD = "x-quarkus-openapi-method-ref";

    private final Map<String, List<PolicyUse>> limited = new HashMap<>();
    private final ConfiguredAtBuild configured;

    LimitedOperations(List<FoundMethod> methods, ConfiguredAtBuild configured) {
        this.configured = configured;
        for (FoundMethod found : methods) {
            List<PolicyUse> uses = found.limited().uses();
            if (found.limited().resource() && configured.limit(uses)) {
                for (MethodInfo method : found.declarations()) {
                    add(found.type(), method, uses);
                    if (Modifier.isAbstract(method.declaringClass().flags())) {
                        add(method.declaringClass(), method, uses);
                    }
                }
            }
        }
    }

    /** @param resource the class of the resource, or the interface or abstract class that has the path */
    private void add(ClassInfo resource, MethodInfo method, List<PolicyUse> uses) {
        limited.computeIfAbsent(reference(resource, method), ignored -> new ArrayList<>()).addAll(uses);
    }

    /** Builds the reference in the same way as Quarkus, from the identity of the class. */
    private static String reference(ClassInfo resource, MethodInfo method) {
        return "m" + resource.hashCode() + "_" + method.hashCode();
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        if (limited.isEmpty() || document.getPaths() == null || document.getPaths().getPathItems() == null) {
            return;
        }
        LimitResponses documented = new LimitResponses(document, configured.headers());
        boolean identified = false;
        for (PathItem path : document.getPaths().getPathItems().values()) {
            for (Operation operation : path.getOperations().values()) {
                Object method = operation.getExtensions() == null ? null : operation.getExtensions().get(METHOD);
                identified |= method != null;
                if (limited.containsKey(method)) {
                    describe(operation, limited.get(method), documented);
                }
            }
        }
        if (!identified) {
            LOG.warn("The OpenAPI document does not describe rate limits. Set quarkus.smallrye-openapi.auto-add-tags=true or"
                    + " quarkus.smallrye-openapi.auto-add-operation-summary=true to identify the methods of its operations.");
        }
    }

    private void describe(Operation operation, List<PolicyUse> uses, LimitResponses documented) {
        APIResponses responses = operation.getResponses();
        responses.getAPIResponses().forEach((status, response) -> {
            if (status.startsWith("2")) {
                documented.addHeaders(response);
            }
        });
        addIfAbsent("429", documented::used, responses);
        if (configured.denyWithoutRedis(uses)) {
            addIfAbsent("503", documented::unavailable, responses);
        }
    }

    private static void addIfAbsent(String status, Supplier<APIResponse> response, APIResponses responses) {
        if (!responses.hasAPIResponse(status)) {
            responses.addAPIResponse(status, response.get());
        }
    }
}
