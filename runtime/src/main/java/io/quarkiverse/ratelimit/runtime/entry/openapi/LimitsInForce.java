package io.quarkiverse.ratelimit.runtime.entry.openapi;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.responses.APIResponses;

import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkus.smallrye.openapi.OpenApiFilter;

/**
 * Describes rate limits in the OpenAPI document when the application starts, by the configuration in force. Adds responses for
 * denied calls to every operation that the build has marked as limited, and rate limit headers to its successful responses.
 * Does
 * not change responses and headers that the application describes. Runs before the filters of the application.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.RUNTIME_STARTUP, priority = Integer.MAX_VALUE)
@Singleton
public class LimitsInForce implements OASFilter {

    /** Extension of a limited operation: the names of its policies. */
    private static final String POLICIES = "x-rate-limit-policies";

    /** {@code null} during the build. */
    private final RateLimitConfig config;

    /** Creates a filter that describes all that may be configured, for the document that the build stores. */
    public LimitsInForce() {
        this(null);
    }

    @Inject
    LimitsInForce(RateLimitConfig config) {
        this.config = config;
    }

    /** Marks an operation as limited by these policies. */
    public static void mark(Operation operation, Set<String> policies) {
        operation.addExtension(POLICIES, List.copyOf(policies));
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        if (document.getPaths() == null || document.getPaths().getPathItems() == null) {
            return;
        }
        LimitResponses described = new LimitResponses(document, headers());
        for (PathItem path : document.getPaths().getPathItems().values()) {
            for (Operation operation : path.getOperations().values()) {
                Map<String, Object> extensions = operation.getExtensions();
                if (extensions != null && extensions.get(POLICIES) instanceof List<?> policies) {
                    operation.removeExtension(POLICIES);
                    describe(operation.getResponses(), policies, described);
                }
            }
        }
    }

    private void describe(APIResponses responses, List<?> policies, LimitResponses described) {
        if (!mayDeny(policies)) {
            return;
        }
        responses.getAPIResponses().forEach((status, response) -> {
            if (status.startsWith("2")) {
                described.addHeaders(response);
            }
        });
        addIfAbsent("429", described::used, responses);
        if (mayDenyWithoutRedis(policies)) {
            addIfAbsent("503", described::unavailable, responses);
        }
    }

    private static void addIfAbsent(String status, Supplier<APIResponse> response, APIResponses responses) {
        if (!responses.hasAPIResponse(status)) {
            responses.addAPIResponse(status, response.get());
        }
    }

    private Set<HeaderFamily> headers() {
        return config == null ? EnumSet.allOf(HeaderFamily.class) : Set.copyOf(config.headers());
    }

    private boolean mayDeny(List<?> policies) {
        return config == null || config.enabled() && enforced(policies).findAny().isPresent();
    }

    private boolean mayDenyWithoutRedis(List<?> policies) {
        return config == null || config.store() == Store.REDIS && enforced(policies).anyMatch(
                policy -> policy.onRedisFailure().orElse(config.onRedisFailure()) == OnRedisFailure.DENY);
    }

    private Stream<PolicyConfig> enforced(List<?> policies) {
        return policies.stream().map(config.policies()::get).filter(Objects::nonNull)
                .filter(policy -> policy.enabled() && policy.mode() != Mode.SHADOW);
    }
}
