package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.operate.admin.AdminHandler;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.LaunchModeBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.dev.spi.DevModeType;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.vertx.http.deployment.spi.RouteBuildItem;

/** Serves administration over HTTP, if the application enables it, and in dev mode. */
@BuildSteps(onlyIf = AdminProcessor.Enabled.class)
class AdminProcessor {

    private static final String ENABLED = "quarkus.rate-limit.admin.enabled";
    /** Package of classes that are named, not loaded, because the class loader of the build may not have Quarkus' HTTP. */
    private static final String ADMIN = "io.quarkiverse.ratelimit.runtime.operate.admin.";

    @BuildStep
    void serve(RateLimitBuildTimeConfig config, Capabilities capabilities, LaunchModeBuildItem mode,
            BuildProducer<AdditionalBeanBuildItem> beans, BuildProducer<RouteBuildItem> routes,
            BuildProducer<NativeImageResourcePatternsBuildItem> resources) {
        if (capabilities.isMissing(Capability.VERTX_HTTP)) {
            if (!config.adminEnabled()) {
                return;
            }
            throw new ConfigurationException(ENABLED + "=true needs HTTP, but the application does not serve it. Add an"
                    + " extension such as quarkus-rest, or remove the property.", Set.of(ENABLED));
        }
        beans.produce(AdditionalBeanBuildItem.builder().setUnremovable()
                .addBeanClasses(ADMIN + "AdminHandler", ADMIN + "AdminOperations").build());
        resources.produce(NativeImageResourcePatternsBuildItem.builder()
                .includeGlobs(List.of("io/quarkiverse/ratelimit/admin/*")).build());
        routes.produce(RouteBuildItem.newManagementRoute("rate-limit/*").withRequestHandler(new AdminHandler.Route())
                .displayOnNotFoundPage("Rate limits").build());
        if (mode.getLaunchMode().isDev()) {
            // the Dev UI shows the page, and is never on the management interface
            routes.produce(
                    RouteBuildItem.newFrameworkRoute("rate-limit/*").withRequestHandler(new AdminHandler.Route()).build());
        }
    }

    static final class Enabled implements BooleanSupplier {

        private final RateLimitBuildTimeConfig config;
        private final IsLocalDevelopment localDevelopment;

        Enabled(RateLimitBuildTimeConfig config, LaunchMode launchMode, DevModeType devModeType) {
            this.config = config;
            this.localDevelopment = new IsLocalDevelopment(launchMode, devModeType);
        }

        @Override
        public boolean getAsBoolean() {
            return config.adminEnabled() || localDevelopment.getAsBoolean();
        }
    }
}
