package io.quarkiverse.ratelimit.langchain4j.deployment;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.deployment.AnnouncedProviderBuildItem;
import io.quarkiverse.ratelimit.deployment.PolicyPropertyBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.LimitedInterfacesBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.MethodId;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethod;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethods;
import io.quarkiverse.ratelimit.runtime.langchain4j.BudgetedMethods;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenBudgets;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenBudgets.BudgetedCall;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenBudgets.TokenBudgetInterceptor;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenMeters;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenPrices;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenUsageListener;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.runtime.metrics.MetricsFactory;

/** Registers budgets of tokens if the application has limited AI services of Quarkus LangChain4j. */
class AiServiceProcessor {

    private static final LimitedInterfacesBuildItem SERVICES = AiServices.interfaces();

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("rate-limit-langchain4j");
    }

    @BuildStep
    LimitedInterfacesBuildItem services() {
        return SERVICES;
    }

    @BuildStep
    PolicyPropertyBuildItem permitPrice() {
        return new PolicyPropertyBuildItem("quarkus.rate-limit.langchain4j.permit-price");
    }

    @BuildStep
    void meters(RateLimitBuildTimeConfig config, LimitedMethodsBuildItem limited,
            Optional<MetricsCapabilityBuildItem> metrics, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (config.metricsEnabled() && !limited.methodsOf(SERVICES).isEmpty() && metrics.isPresent()
                && metrics.get().metricsSupported(MetricsFactory.MICROMETER)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(TokenMeters.class));
        }
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    void registerBudgets(LimitedMethodsBuildItem limited, AiServiceRecorder recorder,
            BuildProducer<AdditionalBeanBuildItem> beans, BuildProducer<SyntheticBeanBuildItem> methods,
            BuildProducer<AnnotationsTransformerBuildItem> bindings, BuildProducer<AnnouncedProviderBuildItem> providers) {
        List<FoundMethod> found = limited.methodsOf(SERVICES);
        if (found.isEmpty()) {
            return;
        }
        beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(BudgetedCall.class, TokenBudgetInterceptor.class, TokenBudgets.class, EstimatedCalls.class,
                        BudgetedMethods.class, TokenPrices.class, TokenUsageListener.class)
                .build());
        providers.produce(new AnnouncedProviderBuildItem("org.eclipse.microprofile.rest.client.spi.RestClientListener",
                "io.quarkiverse.ratelimit.runtime.langchain4j.ModelRequests"));
        methods.produce(SyntheticBeanBuildItem.configure(AiServiceMethods.class).scope(Singleton.class)
                .supplier(recorder.methods(found.stream().map(AiServiceProcessor::method).toList())).done());
        Set<String> bound = found.stream()
                .map(method -> AiServices.bean(method.type()) + MethodId.signature(method.declaration()))
                .collect(Collectors.toSet());
        bindings.produce(new AnnotationsTransformerBuildItem(AnnotationTransformation.forMethods()
                .whenMethod(method -> bound.contains(MethodId.of(method.declaringClass(), method)))
                .transform(context -> context.add(AnnotationInstance.builder(BudgetedCall.class).build()))));
    }

    private static AiServiceMethod method(FoundMethod found) {
        MethodInfo method = found.declaration();
        return new AiServiceMethod(found.limited().id(), AiServices.model(found.type()),
                AiServices.modelSupplier(found.type(), method), AiServices.isStreaming(method),
                AiServices.templateTokens(method));
    }
}
