package io.quarkiverse.ratelimit.deployment;

import io.quarkiverse.ratelimit.runtime.web.HttpBeans;
import io.quarkiverse.ratelimit.runtime.web.RequestCallers;
import io.quarkiverse.ratelimit.runtime.web.RequestDecisions;
import io.quarkiverse.ratelimit.runtime.web.RouteFilter;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the beans that find callers and limit routes, if the application serves HTTP. */
class HttpProcessor {

    @BuildStep
    void beans(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.VERTX_HTTP)) {
            beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                    .addBeanClasses(HttpBeans.class, RequestCallers.class, RequestDecisions.class, RouteFilter.class)
                    .build());
        }
    }

    @BuildStep
    AnnotationsTransformerBuildItem moveRoutesToWorkers(LimitedMethodsBuildItem limited) {
        return new AnnotationsTransformerBuildItem(new RoutesOnWorkers(limited.methods()));
    }
}
