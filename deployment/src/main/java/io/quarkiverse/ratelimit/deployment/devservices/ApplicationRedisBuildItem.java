package io.quarkiverse.ratelimit.deployment.devservices;

import io.quarkus.builder.item.SimpleBuildItem;

/** States whether the application uses Redis itself, besides the limiter. */
public final class ApplicationRedisBuildItem extends SimpleBuildItem {

    private final boolean used;

    ApplicationRedisBuildItem(boolean used) {
        this.used = used;
    }

    public boolean isUsed() {
        return used;
    }
}
