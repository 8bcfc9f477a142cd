package io.quarkiverse.ratelimit.deployment;

import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.smallrye.openapi.deployment.spi.AddToOpenAPIDefinitionBuildItem;

/** Adds rate limits to the OpenAPI documents of the application, if it has any. */
class OpenApiProcessor {

    private static final String ALL_DOCUMENTS = null;

    @BuildStep
    AddToOpenAPIDefinitionBuildItem describeLimits(LimitedMethodsBuildItem limited) {
        return new AddToOpenAPIDefinitionBuildItem(
                new LimitedOperations(limited.methods(), ConfiguredAtBuild.read()), ALL_DOCUMENTS);
    }
}
