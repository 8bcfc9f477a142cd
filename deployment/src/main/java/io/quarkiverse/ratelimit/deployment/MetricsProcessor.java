package io.quarkiverse.ratelimit.deployment;

import java.util.Optional;

import io.quarkiverse.ratelimit.runtime.observe.LimiterMeters;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.runtime.metrics.MetricsFactory;

/** Registers the meters if the application has Micrometer. */
class MetricsProcessor {

    @BuildStep
    void meters(Optional<MetricsCapabilityBuildItem> metrics, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (metrics.isPresent() && metrics.get().metricsSupported(MetricsFactory.MICROMETER)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(LimiterMeters.class));
        }
    }
}
