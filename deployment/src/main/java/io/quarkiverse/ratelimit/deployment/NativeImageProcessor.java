package io.quarkiverse.ratelimit.deployment;

import java.util.List;

import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.nativeimage.NativeImageProxyDefinitionBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;

/** Registers the resources, proxies and reflection of the limiter for native images. */
class NativeImageProcessor {

    @BuildStep
    NativeImageResourcePatternsBuildItem scripts() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlobs(List.of("io/quarkiverse/ratelimit/lua/**.lua"))
                .build();
    }

    /** Registers the proxy for {@code SingleNodeConfig}, which replaces the configuration of a cluster's client. */
    @BuildStep
    void configurationOfOneNode(BuildProducer<NativeImageProxyDefinitionBuildItem> proxies,
            BuildProducer<ReflectiveClassBuildItem> reflection) {
        proxies.produce(new NativeImageProxyDefinitionBuildItem(RedisClientConfig.class.getName()));
        reflection.produce(ReflectiveClassBuildItem.builder(RedisClientConfig.class).methods().build());
    }
}
