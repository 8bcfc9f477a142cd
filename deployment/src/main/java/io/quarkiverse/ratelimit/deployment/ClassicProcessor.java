package io.quarkiverse.ratelimit.deployment;

import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.web.ClassicDecisions;
import io.quarkiverse.ratelimit.runtime.web.ClassicFeature;
import io.quarkiverse.ratelimit.runtime.web.ClassicPathParameters;
import io.quarkiverse.ratelimit.runtime.web.ClassicRequest;
import io.quarkiverse.ratelimit.runtime.web.RateLimitExceededMapper;
import io.quarkiverse.ratelimit.runtime.web.RateLimitUnavailableMapper;
import io.quarkiverse.ratelimit.runtime.web.Refusals;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.resteasy.common.spi.ResteasyJaxrsProviderBuildItem;

/** Registers the entrance for HTTP requests where the application has RESTEasy Classic. */
@BuildSteps(onlyIf = ClassicProcessor.ClassicIsPresent.class)
class ClassicProcessor {

    static final class ClassicIsPresent implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return QuarkusClassLoader
                    .isClassPresentAtRuntime("io.quarkus.resteasy.runtime.standalone.ResteasyStandaloneRecorder");
        }
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(Refusals.class, ClassicFeature.class, ClassicDecisions.class, ClassicRequest.class,
                        ClassicPathParameters.class,
                        RateLimitExceededMapper.class, RateLimitUnavailableMapper.class)
                .build();
    }

    @BuildStep
    void providers(BuildProducer<ResteasyJaxrsProviderBuildItem> providers) {
        providers.produce(new ResteasyJaxrsProviderBuildItem(ClassicFeature.class.getName()));
        providers.produce(new ResteasyJaxrsProviderBuildItem(RateLimitExceededMapper.class.getName()));
        providers.produce(new ResteasyJaxrsProviderBuildItem(RateLimitUnavailableMapper.class.getName()));
    }
}
