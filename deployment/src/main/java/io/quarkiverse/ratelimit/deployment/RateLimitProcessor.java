package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import jakarta.inject.Singleton;

import org.jboss.jandex.IndexView;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.deployment.keys.KeyProperties;
import io.quarkiverse.ratelimit.deployment.keys.KeyReaders;
import io.quarkiverse.ratelimit.deployment.methods.InjectedLimiterFinder;
import io.quarkiverse.ratelimit.deployment.methods.InterceptorBinding;
import io.quarkiverse.ratelimit.deployment.methods.LimitedInterfacesBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodFinder;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkiverse.ratelimit.deployment.methods.ResourceMethods;
import io.quarkiverse.ratelimit.deployment.methods.RestClients;
import io.quarkiverse.ratelimit.deployment.methods.RestServer;
import io.quarkiverse.ratelimit.deployment.mistakes.AnnotationMistakes;
import io.quarkiverse.ratelimit.deployment.mistakes.BodyKeys;
import io.quarkiverse.ratelimit.deployment.mistakes.CallbacksOnWorkers;
import io.quarkiverse.ratelimit.deployment.mistakes.GrpcMistakes;
import io.quarkiverse.ratelimit.deployment.mistakes.IneffectiveAnnotations;
import io.quarkiverse.ratelimit.deployment.mistakes.ParameterMistakes;
import io.quarkiverse.ratelimit.runtime.engine.RunningCall;
import io.quarkiverse.ratelimit.runtime.entry.cdi.CallLimiter;
import io.quarkiverse.ratelimit.runtime.entry.cdi.RateLimitInterceptor;
import io.quarkiverse.ratelimit.runtime.entry.code.PolicyLimiters;
import io.quarkiverse.ratelimit.runtime.entry.eventbus.DeniedMessages;
import io.quarkiverse.ratelimit.runtime.operate.observe.ApproachedLimits;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.start.Bootstrap;
import io.quarkiverse.ratelimit.runtime.start.RateLimitRecorder;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.ConfiguredOptions;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.RedisClients;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.CompletedApplicationClassPredicateBuildItem;
import io.quarkus.arc.deployment.CustomScopeAnnotationsBuildItem;
import io.quarkus.arc.deployment.SynthesisFinishedBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Produce;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.GeneratedClassBuildItem;
import io.quarkus.deployment.recording.RecorderContext;
import io.quarkus.smallrye.context.deployment.spi.ThreadContextProviderBuildItem;
import io.quarkus.vertx.core.deployment.CoreVertxBuildItem;
import io.quarkus.vertx.deployment.EventConsumerBusinessMethodItem;
import io.quarkus.vertx.deployment.spi.EventConsumerInvokerCustomizerBuildItem;

/** Registers the limiter and the interceptor for bean calls. */
class RateLimitProcessor {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("rate-limit");
    }

    @BuildStep
    LimitedMethodsBuildItem findLimitedMethods(CombinedIndexBuildItem combinedIndex, Capabilities capabilities,
            List<LimitedInterfacesBuildItem> others) {
        IndexView index = combinedIndex.getIndex();
        ResourceMethods resources = new ResourceMethods(index, RestServer.of(capabilities));
        LimitedMethodFinder finder = new LimitedMethodFinder(index, resources,
                new RestClients(capabilities, index, resources), others);
        LimitedMethodsBuildItem limited = new LimitedMethodsBuildItem(index, finder);
        Set<String> mistakes = new TreeSet<>(new GrpcMistakes(index).in(limited.methods()));
        mistakes.addAll(new ParameterMistakes(index, new KeyProperties(combinedIndex.getComputingIndex()), limited.methods())
                .in(finder.parameterAnnotations()));
        new AnnotationMistakes(resources, others).throwIfAny(finder.annotations(), limited.methods(), mistakes);
        new BodyKeys(index, RestServer.of(capabilities)).warnings(limited.methods()).forEach(LOG::warn);
        return limited;
    }

    @BuildStep
    @Produce(ValidationErrorBuildItem.class)
    void warnOfAnnotationsWithoutEffect(LimitedMethodsBuildItem limited, SynthesisFinishedBuildItem beans,
            CustomScopeAnnotationsBuildItem scopes) {
        new IneffectiveAnnotations(limited, beans, scopes).warnings().forEach(LOG::warn);
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    SyntheticBeanBuildItem recordPolicyReferences(LimitedMethodsBuildItem limited, BeanDiscoveryFinishedBuildItem beans,
            List<PolicyPropertyBuildItem> properties,
            CombinedIndexBuildItem combinedIndex, CompletedApplicationClassPredicateBuildItem applicationClasses,
            BuildProducer<GeneratedClassBuildItem> classes, RateLimitRecorder recorder, RecorderContext context) {
        KeyReaders readers = new KeyReaders(limited, new KeyProperties(combinedIndex.getComputingIndex()),
                applicationClasses::test,
                classes, recorder, context);
        return SyntheticBeanBuildItem.configure(PolicyReferences.class).scope(Singleton.class)
                .runtimeValue(recorder.policyReferences(readers.methods(),
                        InjectedLimiterFinder.of(beans.getInjectionPoints()),
                        properties.stream().map(PolicyPropertyBuildItem::name).toList()))
                .done();
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(Bootstrap.class, LimiterClock.class, ApproachedLimits.class, RedisClients.class,
                        ConfiguredOptions.class, PolicyLimiters.class)
                .build();
    }

    /** Registers what Quarkus removes if no bean method is limited. */
    @BuildStep
    AdditionalBeanBuildItem interceptor() {
        return new AdditionalBeanBuildItem(RateLimitInterceptor.LimitedCall.class, CallLimiter.class,
                RateLimitInterceptor.class, RateLimitInterceptor.OfCachedCalls.class);
    }

    /** Propagates the running call, only for classes with a limit, as it costs a little wherever Mutiny switches threads. */
    @BuildStep
    void recognizeCallsWithinCalls(LimitedMethodsBuildItem limited, BuildProducer<ThreadContextProviderBuildItem> providers) {
        if (limited.methods().stream().anyMatch(found -> !found.byFilter() && found.limited().ofClass())) {
            providers.produce(new ThreadContextProviderBuildItem(RunningCall.Propagation.class));
        }
    }

    @BuildStep
    AnnotationsTransformerBuildItem moveCallbacksToWorkers(LimitedMethodsBuildItem limited) {
        return new AnnotationsTransformerBuildItem(new CallbacksOnWorkers(limited.methods()));
    }

    /** Wraps all consumers, as they may call limited beans. */
    @BuildStep
    EventConsumerInvokerCustomizerBuildItem failRepliesOfDeniedMessages() {
        return new EventConsumerInvokerCustomizerBuildItem(
                (method, invoker) -> invoker.withInvocationWrapper(DeniedMessages.class, "consume"));
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void keepMessagesOfConsumersOfHeaders(DeniedMessages recorder, List<EventConsumerBusinessMethodItem> consumers,
            CoreVertxBuildItem vertx) {
        if (consumers.stream().anyMatch(EventConsumerBusinessMethodItem::isSplitHeadersBodyParams)) {
            recorder.keepMessages(vertx.getVertx());
        }
    }

    @BuildStep
    AnnotationsTransformerBuildItem bindInterceptor(LimitedMethodsBuildItem limited) {
        return new AnnotationsTransformerBuildItem(new InterceptorBinding(limited.methods()));
    }
}
