package io.quarkiverse.ratelimit.deployment;

import java.util.List;

import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;

/** Registers the resources of the limiter for native images. */
class NativeImageProcessor {

    @BuildStep
    NativeImageResourcePatternsBuildItem scripts() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlobs(List.of("io/quarkiverse/ratelimit/lua/**.lua"))
                .build();
    }
}
