package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.runtime.ai.AiServiceMethod;
import io.quarkiverse.ratelimit.runtime.ai.AiServiceRecorder;
import io.quarkiverse.ratelimit.runtime.ai.AiServiceRegistry;
import io.quarkiverse.ratelimit.runtime.ai.BudgetedCall;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;

/** Registers budgets of tokens if the application has limited AI services of Quarkus LangChain4j. */
class AiServiceProcessor {

    /** The classes are named, not loaded, because the class loader of the build may not have LangChain4j. */
    private static final String AI = "io.quarkiverse.ratelimit.runtime.ai.";

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    void registerBudgets(LimitedMethodsBuildItem limited, AiServiceRecorder recorder,
            BuildProducer<AdditionalBeanBuildItem> beans, BuildProducer<SyntheticBeanBuildItem> methods,
            BuildProducer<AnnotationsTransformerBuildItem> bindings) {
        List<FoundMethod> found = limited.methods().stream().filter(FoundMethod::isAiService).toList();
        if (found.isEmpty()) {
            return;
        }
        beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(AI + "BudgetedCall", AI + "TokenBudgetInterceptor", AI + "TokenBudgets",
                        AI + "TokenReservations", AI + "BudgetedMethods", AI + "TokenUsageListener")
                .build());
        methods.produce(SyntheticBeanBuildItem.configure(AiServiceRegistry.class).scope(Singleton.class)
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
        return new AiServiceMethod(found.limited().id(), AiServices.model(found.type()), AiServices.isStreaming(method),
                MessageTemplates.tokens(method));
    }
}
