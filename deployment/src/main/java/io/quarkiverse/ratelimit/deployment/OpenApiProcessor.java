package io.quarkiverse.ratelimit.deployment;

import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.smallrye.openapi.deployment.spi.AddToOpenAPIDefinitionBuildItem;

/** Tells of the limits in the application's OpenAPI documents, where it has any. */
class OpenApiProcessor {

    private static final String ALL_DOCUMENTS = null;

    @BuildStep
    AddToOpenAPIDefinitionBuildItem describeLimits(GuardedMethodsBuildItem guarded) {
        return new AddToOpenAPIDefinitionBuildItem(
                new LimitedOperations(guarded.methods(), ConfiguredAtBuild.read()), ALL_DOCUMENTS);
    }
}
