package io.quarkiverse.ratelimit.deployment;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;

/** Finds the interfaces of REST clients, which Quarkus creates for injection, or a builder creates. */
final class RestClients {

    private static final DotName REGISTER = DotName
            .createSimple("org.eclipse.microprofile.rest.client.inject.RegisterRestClient");
    private static final String BEAN_SUFFIX = "$$CDIWrapper";

    private final boolean present;
    private final IndexView index;
    private final ResourceMethods resources;

    RestClients(Capabilities capabilities, IndexView index, ResourceMethods resources) {
        this.present = capabilities.isPresent(Capability.REST_CLIENT_REACTIVE)
                || capabilities.isPresent(Capability.RESTEASY_CLIENT);
        this.index = index;
        this.resources = resources;
    }

    boolean isClient(ClassInfo type) {
        return present && type.isInterface()
                && (type.hasDeclaredAnnotation(REGISTER) || isConfigured(type) || mayBeBuilt(type));
    }

    /** An interface without annotation is a client if its scope is configured. */
    private static boolean isConfigured(ClassInfo type) {
        return ConfigProvider.getConfig()
                .getOptionalValue("quarkus.rest-client.\"" + type.name() + "\".scope", String.class).isPresent();
    }

    /** Any interface with a method of HTTP, also of a resource, can be given to a builder. */
    private boolean mayBeBuilt(ClassInfo type) {
        return new Hierarchy(type, index).methods().stream().flatMap(declarations -> declarations.stream())
                .anyMatch(resources::hasDesignator);
    }

    /** The name of the bean's class. */
    static DotName bean(ClassInfo client) {
        return DotName.createSimple(client.name() + BEAN_SUFFIX);
    }
}
