package io.quarkiverse.ratelimit.deployment;

import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.web.HttpBeans;
import io.quarkiverse.ratelimit.runtime.web.RouteFilter;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;

/** Registers what finds callers and limits routes where the application serves HTTP, with Quarkus REST or without. */
@BuildSteps(onlyIf = HttpProcessor.HttpIsPresent.class)
class HttpProcessor {

    static final class HttpIsPresent implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return QuarkusClassLoader.isClassPresentAtRuntime("io.quarkus.vertx.http.runtime.CurrentVertxRequest");
        }
    }

    @BuildStep
    AdditionalBeanBuildItem beans() {
        return AdditionalBeanBuildItem.builder().setUnremovable().addBeanClasses(HttpBeans.class, RouteFilter.class).build();
    }
}
