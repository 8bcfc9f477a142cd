package io.quarkiverse.ratelimit.deployment;

import java.util.function.BooleanSupplier;

import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;

/** Registers what tells of the limiter's Redis where the application has SmallRye Health. */
@BuildSteps(onlyIf = HealthProcessor.HealthIsPresent.class)
class HealthProcessor {

    static final class HealthIsPresent implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return QuarkusClassLoader.isClassPresentAtRuntime("io.quarkus.smallrye.health.runtime.SmallRyeHealthRecorder");
        }
    }

    /** Named and not loaded, as the class loader of the build need not see MicroProfile Health. */
    private static final String OBSERVE = "io.quarkiverse.ratelimit.runtime.observe.";

    @BuildStep
    HealthBuildItem check() {
        return new HealthBuildItem(OBSERVE + "LimiterHealth", true);
    }

    @BuildStep
    AdditionalBeanBuildItem warning() {
        return AdditionalBeanBuildItem.unremovableOf(OBSERVE + "ReadinessWarning");
    }
}
