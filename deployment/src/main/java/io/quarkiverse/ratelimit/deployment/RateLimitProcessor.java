package io.quarkiverse.ratelimit.deployment;

import java.util.List;

import jakarta.inject.Singleton;

import org.jboss.jandex.IndexView;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.RateLimitRecorder;
import io.quarkiverse.ratelimit.runtime.api.PolicyLimiters;
import io.quarkiverse.ratelimit.runtime.cdi.CallLimiter;
import io.quarkiverse.ratelimit.runtime.cdi.RateLimitInterceptor;
import io.quarkiverse.ratelimit.runtime.engine.RunningCall;
import io.quarkiverse.ratelimit.runtime.observe.ApproachedLimits;
import io.quarkiverse.ratelimit.runtime.observe.AsyncEvents;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.redis.topology.ConfiguredOptions;
import io.quarkiverse.ratelimit.runtime.redis.topology.RedisClients;
import io.quarkiverse.ratelimit.runtime.start.Bootstrap;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
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
import io.quarkus.deployment.builditem.RunTimeConfigurationDefaultBuildItem;
import io.quarkus.deployment.recording.RecorderContext;
import io.quarkus.smallrye.context.deployment.spi.ThreadContextProviderBuildItem;

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
        new AnnotationMistakes(resources, others).throwIfAny(finder.annotations(), limited.methods(),
                new ParameterMistakes(index, new KeyProperties(combinedIndex.getComputingIndex()), limited.methods())
                        .in(finder.parameterAnnotations()));
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
            CombinedIndexBuildItem combinedIndex, CompletedApplicationClassPredicateBuildItem applicationClasses,
            BuildProducer<GeneratedClassBuildItem> classes, RateLimitRecorder recorder, RecorderContext context) {
        KeyReaders readers = new KeyReaders(limited, new KeyProperties(combinedIndex.getComputingIndex()),
                applicationClasses::test,
                classes, recorder, context);
        return SyntheticBeanBuildItem.configure(PolicyReferences.class).scope(Singleton.class)
                .supplier(recorder.policyReferences(readers.methods(),
                        InjectedLimiterFinder.of(beans.getInjectionPoints())))
                .done();
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(Bootstrap.class, LimiterClock.class, ApproachedLimits.class, AsyncEvents.Failures.class,
                        RedisClients.class, ConfiguredOptions.class, PolicyLimiters.class,
                        RateLimitInterceptor.LimitedCall.class, CallLimiter.class,
                        RateLimitInterceptor.class, RateLimitInterceptor.OfCachedCalls.class)
                .build();
    }

    /** Only for classes with a limit, as it costs a little wherever Mutiny switches threads. */
    @BuildStep
    void recognizeCallsWithinCalls(LimitedMethodsBuildItem limited, BuildProducer<ThreadContextProviderBuildItem> providers) {
        if (limited.methods().stream().anyMatch(found -> !found.byFilter() && found.limited().ofClass())) {
            providers.produce(new ThreadContextProviderBuildItem(RunningCall.Propagation.class));
        }
    }

    /** Vert.x logs each attempt to connect that a proxy resets as an error. The limiter logs an outage once. */
    @BuildStep
    RunTimeConfigurationDefaultBuildItem doNotLogAttemptsToConnect() {
        return new RunTimeConfigurationDefaultBuildItem(
                "quarkus.log.category.\"io.vertx.redis.client.impl.RedisConnectionManager\".level", "OFF");
    }

    @BuildStep
    AnnotationsTransformerBuildItem bindInterceptor(LimitedMethodsBuildItem limited) {
        return new AnnotationsTransformerBuildItem(new InterceptorBinding(limited.methods()));
    }
}
