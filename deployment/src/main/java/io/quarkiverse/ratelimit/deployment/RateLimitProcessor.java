package io.quarkiverse.ratelimit.deployment;

import jakarta.inject.Singleton;

import org.jboss.jandex.IndexView;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.RateLimitRecorder;
import io.quarkiverse.ratelimit.runtime.api.AllLimiters;
import io.quarkiverse.ratelimit.runtime.api.InjectedLimiterProducer;
import io.quarkiverse.ratelimit.runtime.cdi.CachedCallInterceptor;
import io.quarkiverse.ratelimit.runtime.cdi.GuardedCall;
import io.quarkiverse.ratelimit.runtime.cdi.GuardedCalls;
import io.quarkiverse.ratelimit.runtime.cdi.RateLimitInterceptor;
import io.quarkiverse.ratelimit.runtime.engine.RateLimiting;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;
import io.quarkiverse.ratelimit.runtime.redis.OwnOptions;
import io.quarkiverse.ratelimit.runtime.redis.RedisClients;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.CustomScopeAnnotationsBuildItem;
import io.quarkus.arc.deployment.SynthesisFinishedBuildItem;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Produce;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.FeatureBuildItem;

/** Registers the limiter and its interceptor of bean calls. */
class RateLimitProcessor {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("rate-limit");
    }

    @BuildStep
    GuardedMethodsBuildItem findGuardedMethods(CombinedIndexBuildItem combinedIndex, Capabilities capabilities) {
        IndexView index = combinedIndex.getIndex();
        ResourceMethods resources = new ResourceMethods(index, RestServer.of(capabilities));
        GuardedMethodFinder finder = new GuardedMethodFinder(index, resources,
                new RestClients(capabilities.isPresent(Capability.REST_CLIENT_REACTIVE)));
        GuardedMethodsBuildItem guarded = new GuardedMethodsBuildItem(finder);
        new AnnotationMistakes(resources).throwIfAny(finder.annotations(), guarded.methods(),
                new ParameterMistakes(index, guarded.methods()).in(finder.parameterAnnotations()));
        return guarded;
    }

    @BuildStep
    @Produce(ValidationErrorBuildItem.class)
    void warnOfAnnotationsWithoutEffect(GuardedMethodsBuildItem guarded, SynthesisFinishedBuildItem beans,
            CustomScopeAnnotationsBuildItem scopes) {
        new WithoutEffect(guarded, beans, scopes).warnings().forEach(LOG::warn);
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    SyntheticBeanBuildItem recordPolicyUsers(GuardedMethodsBuildItem guarded, BeanDiscoveryFinishedBuildItem beans,
            RateLimitRecorder recorder) {
        return SyntheticBeanBuildItem.configure(PolicyUsers.class).scope(Singleton.class)
                .supplier(recorder.policyUsers(guarded.methods().stream().map(Found::guarded).toList(),
                        InjectedLimiters.of(beans.getInjectionPoints())))
                .done();
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(RateLimiting.class, RedisClients.class, OwnOptions.class, AllLimiters.class,
                        InjectedLimiterProducer.class,
                        GuardedCall.class, GuardedCalls.class,
                        RateLimitInterceptor.class, CachedCallInterceptor.class)
                .build();
    }

    @BuildStep
    AnnotationsTransformerBuildItem bindInterceptor(GuardedMethodsBuildItem guarded) {
        return new AnnotationsTransformerBuildItem(new InterceptorBinding(guarded.methods()));
    }
}
