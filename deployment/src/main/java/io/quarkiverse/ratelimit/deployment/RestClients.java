package io.quarkiverse.ratelimit.deployment;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;

/** Finds the interfaces for which Quarkus creates REST client beans. */
final class RestClients {

    private static final DotName REGISTER = DotName
            .createSimple("org.eclipse.microprofile.rest.client.inject.RegisterRestClient");
    private static final String BEAN_SUFFIX = "$$CDIWrapper";

    private final boolean present;

    /** @param present whether the application has Quarkus' REST client */
    RestClients(boolean present) {
        this.present = present;
    }

    boolean isClient(ClassInfo type) {
        return present && type.isInterface() && (type.hasDeclaredAnnotation(REGISTER) || isConfigured(type));
    }

    /** An interface without annotation is a client if its scope is configured. */
    private static boolean isConfigured(ClassInfo type) {
        return ConfigProvider.getConfig()
                .getOptionalValue("quarkus.rest-client.\"" + type.name() + "\".scope", String.class).isPresent();
    }

    /** Whether the annotation is on a client of RESTEasy Classic, or on its methods. Quarkus does not intercept its calls. */
    static boolean isOfClassicClient(AnnotationInstance annotation, Capabilities capabilities) {
        ClassInfo type = annotation.target().kind() == AnnotationTarget.Kind.METHOD
                ? annotation.target().asMethod().declaringClass()
                : annotation.target().asClass();
        return capabilities.isPresent(Capability.RESTEASY_CLIENT) && type.hasDeclaredAnnotation(REGISTER);
    }

    /** The name of the bean's class. */
    static DotName bean(ClassInfo client) {
        return DotName.createSimple(client.name() + BEAN_SUFFIX);
    }
}
