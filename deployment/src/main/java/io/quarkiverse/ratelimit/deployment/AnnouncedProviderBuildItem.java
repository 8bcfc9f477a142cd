package io.quarkiverse.ratelimit.deployment;

import io.quarkus.builder.item.MultiBuildItem;

/**
 * A provider that {@link java.util.ServiceLoader} finds in the application. A file of the jar would announce it to all
 * applications, also to those without the framework of the service, where the provider cannot be loaded.
 */
public final class AnnouncedProviderBuildItem extends MultiBuildItem {

    private final String service, provider;

    /**
     * @param service the name of an interface
     * @param provider the name of a class that implements it
     */
    public AnnouncedProviderBuildItem(String service, String provider) {
        this.service = service;
        this.provider = provider;
    }

    String service() {
        return service;
    }

    String provider() {
        return provider;
    }
}
