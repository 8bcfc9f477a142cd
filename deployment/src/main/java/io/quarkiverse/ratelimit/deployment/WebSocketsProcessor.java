package io.quarkiverse.ratelimit.deployment;

import io.quarkiverse.ratelimit.runtime.web.WebSocketHandshakes;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;

/** Registers the bean that finds the callers of WebSocket messages, if the application has WebSockets Next. */
class WebSocketsProcessor {

    @BuildStep
    void beans(Capabilities capabilities, LimitedMethodsBuildItem limited, BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.WEBSOCKETS_NEXT) && !limited.methods().isEmpty()) {
            beans.produce(AdditionalBeanBuildItem.unremovableOf(WebSocketHandshakes.class));
        }
    }
}
