package io.quarkiverse.ratelimit.deployment;

import io.quarkiverse.ratelimit.runtime.observe.DecisionSpans;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the observer that adds decisions to spans, if the application has OpenTelemetry. */
class TracingProcessor {

    @BuildStep
    void spans(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.OPENTELEMETRY_TRACER)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(DecisionSpans.class));
        }
    }
}
