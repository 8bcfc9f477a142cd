package io.quarkiverse.ratelimit.deployment.methods;

import java.util.List;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;

import io.quarkiverse.ratelimit.runtime.entry.cdi.CallLimiter;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;

/** Finds the interfaces of REST clients: those that Quarkus can inject, and those that a builder can create. */
public final class RestClients {

    private static final DotName REGISTER = DotName
            .createSimple("org.eclipse.microprofile.rest.client.inject.RegisterRestClient");

    private final boolean present;
    private final IndexView index;
    private final ResourceMethods resources;

    public RestClients(Capabilities capabilities, IndexView index, ResourceMethods resources) {
        this.present = capabilities.isPresent(Capability.REST_CLIENT_REACTIVE)
                || capabilities.isPresent(Capability.RESTEASY_CLIENT);
        this.index = index;
        this.resources = resources;
    }

    boolean isClient(ClassInfo type) {
        return present && type.isInterface()
                && (type.hasDeclaredAnnotation(REGISTER) || isConfigured(type) || mayBeBuilt(type));
    }

    /** Returns whether configuration sets the scope of the interface. Then it is an injected client without an annotation. */
    private static boolean isConfigured(ClassInfo type) {
        return ConfigProvider.getConfig()
                .getOptionalValue("quarkus.rest-client.\"" + type.name() + "\".scope", String.class).isPresent();
    }

    /**
     * Returns whether a builder may create a client of the interface. It can for any interface with an HTTP method, even if a
     * resource implements it.
     */
    private boolean mayBeBuilt(ClassInfo type) {
        return new Hierarchy(type, index).methods().values().stream().flatMap(List::stream)
                .anyMatch(resources::hasDesignator);
    }

    /** Returns the name of the bean's class. */
    static DotName bean(ClassInfo client) {
        return DotName.createSimple(client.name() + CallLimiter.CLIENT_BEAN);
    }
}
