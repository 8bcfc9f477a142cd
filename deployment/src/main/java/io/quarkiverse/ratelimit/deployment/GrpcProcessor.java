package io.quarkiverse.ratelimit.deployment;

import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.grpc.RefusalStatus;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;

/** Registers what answers refused gRPC calls where the application has gRPC. */
@BuildSteps(onlyIf = GrpcProcessor.GrpcIsPresent.class)
class GrpcProcessor {

    static final class GrpcIsPresent implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return QuarkusClassLoader.isClassPresentAtRuntime("io.quarkus.grpc.runtime.GrpcServerRecorder");
        }
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.unremovableOf(RefusalStatus.class);
    }
}
