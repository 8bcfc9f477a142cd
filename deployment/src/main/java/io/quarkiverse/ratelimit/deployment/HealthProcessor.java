package io.quarkiverse.ratelimit.deployment;

import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.RunTimeConfigBuilderBuildItem;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;

/**
 * Registers the limiter's health check, readiness warning and default of Redis' own check, if the application has SmallRye
 * Health.
 */
class HealthProcessor {

    /** The classes are named, not loaded, because the class loader of the build may not have MicroProfile Health. */
    private static final String OBSERVE = "io.quarkiverse.ratelimit.runtime.observe.";

    @BuildStep
    void checkAndWarning(Capabilities capabilities, ApplicationRedisBuildItem redis, BuildProducer<HealthBuildItem> checks,
            BuildProducer<AdditionalBeanBuildItem> beans, BuildProducer<RunTimeConfigBuilderBuildItem> configuration) {
        if (capabilities.isPresent(Capability.SMALLRYE_HEALTH)) {
            checks.produce(new HealthBuildItem(OBSERVE + "LimiterHealth", true));
            beans.produce(AdditionalBeanBuildItem.unremovableOf(OBSERVE + "ReadinessWarning"));
            if (!redis.isUsed()) {
                configuration.produce(new RunTimeConfigBuilderBuildItem(OBSERVE + "ReadinessWarning$RedisCheckDefault"));
            }
        }
    }
}
