package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import jakarta.enterprise.event.ObservesAsync;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.deployment.devservices.ApplicationRedisBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.Callbacks;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkiverse.ratelimit.runtime.entry.grpc.GrpcDenial;
import io.quarkiverse.ratelimit.runtime.entry.http.HttpBeans;
import io.quarkiverse.ratelimit.runtime.entry.http.LimitedRequest;
import io.quarkiverse.ratelimit.runtime.entry.http.RequestCallers;
import io.quarkiverse.ratelimit.runtime.entry.http.RouteFilter;
import io.quarkiverse.ratelimit.runtime.entry.http.WebSocketHandshakes;
import io.quarkiverse.ratelimit.runtime.entry.mcp.McpDenial;
import io.quarkiverse.ratelimit.runtime.entry.openapi.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.entry.scheduler.DeniedRunFilter;
import io.quarkiverse.ratelimit.runtime.operate.observe.AsyncEvents;
import io.quarkiverse.ratelimit.runtime.operate.observe.DecisionSpans;
import io.quarkiverse.ratelimit.runtime.operate.observe.LimiterMeters;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.RunTimeConfigBuilderBuildItem;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.deployment.pkg.builditem.CurateOutcomeBuildItem;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;

/** Registers what optional extensions and observers of events need, if the application has them. */
class IntegrationProcessor {

    /**
     * Beans by capability. The class loader of the build may not have the framework of a bean, so each row names its classes
     * only when used.
     */
    private static final Map<String, Supplier<List<Class<?>>>> BEANS = Map.of(
            Capability.VERTX_HTTP,
            () -> List.of(HttpBeans.class, RequestCallers.class, LimitedRequest.Shared.class, RouteFilter.class),
            Capability.GRPC, () -> List.of(GrpcDenial.class),
            Capability.SCHEDULER, () -> List.of(DeniedRunFilter.class),
            Capability.SMALLRYE_OPENAPI, () -> List.of(LimitsInForce.class));

    private static final DotName MCP_CALL = DotName.createSimple(McpDenial.McpCall.class);

    /** Classes that are named, not loaded, because the class loader of the build may not have GraphQL or Health. */
    private static final String GRAPHQL_DENIAL = "io.quarkiverse.ratelimit.runtime.entry.graphql.GraphQLDenial",
            OBSERVE = "io.quarkiverse.ratelimit.runtime.operate.observe.";

    @BuildStep
    void byCapability(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        BEANS.forEach((capability, classes) -> {
            if (capabilities.isPresent(capability)) {
                classes.get().forEach(bean -> beans.produce(AdditionalBeanBuildItem.unremovableOf(bean)));
            }
        });
    }

    @BuildStep
    void messages(Capabilities capabilities, LimitedMethodsBuildItem limited, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.WEBSOCKETS_NEXT) && !limited.methods().isEmpty()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(WebSocketHandshakes.class));
        }
    }

    @BuildStep
    void meters(RateLimitBuildTimeConfig config, Optional<MetricsCapabilityBuildItem> metrics,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        if (config.metricsEnabled() && metrics.isPresent()
                && metrics.get().metricsSupported(MetricsFactory.MICROMETER)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(LimiterMeters.class));
        }
    }

    @BuildStep
    void spans(RateLimitBuildTimeConfig config, Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (config.tracingEnabled() && capabilities.isPresent(Capability.OPENTELEMETRY_TRACER)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(DecisionSpans.class));
        }
    }

    @BuildStep
    void events(CombinedIndexBuildItem index, BuildProducer<AdditionalBeanBuildItem> beans) {
        Set<DotName> observed = index.getIndex().getAnnotations(ObservesAsync.class).stream()
                .map(observer -> observer.target().asMethodParameter().type().name()).collect(Collectors.toSet());
        if (isObserved(RateLimitExceeded.class, observed)) {
            beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                    .addBeanClasses(AsyncEvents.Failures.class, AsyncEvents.ExceededLimits.class).build());
        }
        if (isObserved(RateLimitApproached.class, observed)) {
            beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                    .addBeanClasses(AsyncEvents.Failures.class, AsyncEvents.EnforcedLimits.class).build());
        }
    }

    private static boolean isObserved(Class<?> event, Set<DotName> observed) {
        return observed.contains(DotName.createSimple(event)) || observed.contains(DotName.OBJECT_NAME);
    }

    /** Registers the health check and the readiness warning, and sets the default of Redis' own check. */
    @BuildStep
    void health(RateLimitBuildTimeConfig config, Capabilities capabilities, ApplicationRedisBuildItem redis,
            BuildProducer<HealthBuildItem> checks, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<RunTimeConfigBuilderBuildItem> configuration) {
        if (capabilities.isPresent(Capability.SMALLRYE_HEALTH)) {
            checks.produce(new HealthBuildItem(OBSERVE + "LimiterHealth", config.healthEnabled()));
            beans.produce(AdditionalBeanBuildItem.unremovableOf(OBSERVE + "ReadinessWarning"));
            if (!redis.isUsed()) {
                configuration.produce(new RunTimeConfigBuilderBuildItem(OBSERVE + "ReadinessWarning$RedisCheckDefault"));
            }
        }
    }

    @BuildStep
    void graphQLErrors(Capabilities capabilities, BuildProducer<AnnouncedProviderBuildItem> providers) {
        if (capabilities.isPresent(Capability.SMALLRYE_GRAPHQL)) {
            providers.produce(new AnnouncedProviderBuildItem("io.smallrye.graphql.spi.EventingService", GRAPHQL_DENIAL));
        }
    }

    /** Wraps all tools, prompts and resources, as they may call limited beans. MCP servers have no capability. */
    @BuildStep
    void mcpErrors(CurateOutcomeBuildItem application, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<AnnotationsTransformerBuildItem> bindings) {
        if (application.getApplicationModel().getRuntimeDependencies().stream()
                .anyMatch(artifact -> artifact.getGroupId().equals("io.quarkiverse.mcp")
                        && artifact.getArtifactId().equals("quarkus-mcp-server-core"))) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(McpDenial.McpCall.class));
            beans.produce(AdditionalBeanBuildItem.unremovableOf(McpDenial.class));
            bindings.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forMethods()
                    .whenMethod(Callbacks::isForMcp)
                    .transform(context -> context.add(mcpCall(context.declaration().asMethod())))));
        }
    }

    private static AnnotationInstance mcpCall(MethodInfo method) {
        return AnnotationInstance.create(MCP_CALL, method,
                List.of(AnnotationValue.createBooleanValue("tool", Callbacks.isTool(method))));
    }
}
