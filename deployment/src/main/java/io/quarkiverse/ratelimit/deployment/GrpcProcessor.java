package io.quarkiverse.ratelimit.deployment;

import io.quarkiverse.ratelimit.runtime.grpc.GrpcDenial;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the bean that converts denials to gRPC statuses, if the application has gRPC. */
class GrpcProcessor {

    @BuildStep
    void beans(Capabilities capabilities, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.GRPC)) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(GrpcDenial.class));
        }
    }
}
