package io.quarkiverse.ratelimit.deployment.openapi;

import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodsBuildItem;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.smallrye.openapi.deployment.spi.AddToOpenAPIDefinitionBuildItem;

/** Marks limited operations in the OpenAPI documents of the application, if it has any. */
class OpenApiProcessor {

    private static final String ALL_DOCUMENTS = null;

    @BuildStep
    AddToOpenAPIDefinitionBuildItem markLimits(LimitedMethodsBuildItem limited) {
        return new AddToOpenAPIDefinitionBuildItem(new LimitedOperations(limited.methods()), ALL_DOCUMENTS);
    }
}
