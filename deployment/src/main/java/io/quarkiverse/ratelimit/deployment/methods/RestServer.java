package io.quarkiverse.ratelimit.deployment.methods;

import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;

/** The REST server that serves the application's resource methods. */
public enum RestServer {

    NONE,
    QUARKUS_REST,
    RESTEASY_CLASSIC;

    public static RestServer of(Capabilities capabilities) {
        if (capabilities.isPresent(Capability.RESTEASY_REACTIVE)) {
            return QUARKUS_REST;
        }
        return capabilities.isPresent(Capability.RESTEASY) ? RESTEASY_CLASSIC : NONE;
    }
}
