package io.quarkiverse.ratelimit.deployment;

import io.quarkiverse.ratelimit.deployment.methods.RestServer;
import io.quarkiverse.ratelimit.runtime.entry.classic.ClassicDecisions;
import io.quarkiverse.ratelimit.runtime.entry.classic.ClassicWork;
import io.quarkiverse.ratelimit.runtime.entry.http.DenialMapper;
import io.quarkiverse.ratelimit.runtime.entry.http.InvalidCostMapper;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.resteasy.common.spi.ResteasyJaxrsProviderBuildItem;

/** Registers the entry point for HTTP requests if the application has RESTEasy Classic. */
class ClassicProcessor {

    @BuildStep
    void beansAndProviders(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<ResteasyJaxrsProviderBuildItem> providers) {
        if (RestServer.of(capabilities) != RestServer.RESTEASY_CLASSIC) {
            return;
        }
        beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(ClassicDecisions.Filter.class, ClassicDecisions.class, ClassicWork.class,
                        ClassicWork.OfResource.class,
                        DenialMapper.class)
                .build());
        providers.produce(new ResteasyJaxrsProviderBuildItem(ClassicDecisions.Filter.class.getName()));
        providers.produce(new ResteasyJaxrsProviderBuildItem(DenialMapper.class.getName()));
        providers.produce(new ResteasyJaxrsProviderBuildItem(InvalidCostMapper.class.getName()));
    }
}
