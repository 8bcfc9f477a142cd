package io.quarkiverse.ratelimit.deployment;

import io.quarkiverse.ratelimit.runtime.scheduler.DeniedRunFilter;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the filter of log entries for denied runs, if the application has scheduled methods. */
class SchedulerProcessor {

    @BuildStep
    void beans(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.SCHEDULER)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(DeniedRunFilter.class));
        }
    }
}
