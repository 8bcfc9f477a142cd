package io.quarkiverse.ratelimit.deployment;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/** Tells which methods serve HTTP requests: public ones, and none where the application has no REST server. */
final class ResourceMethods {

    private static final DotName PATH = DotName.createSimple("jakarta.ws.rs.Path");
    private static final DotName HTTP_METHOD = DotName.createSimple("jakarta.ws.rs.HttpMethod");
    private static final List<String> STANDARD = List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");

    private static final String PROVIDER = "org.jboss.resteasy.reactive.server.Server";

    private final RestServer server;
    private final Set<DotName> designators = new HashSet<>();

    ResourceMethods(IndexView index, RestServer server) {
        this.server = server;
        for (String method : STANDARD) {
            designators.add(DotName.createSimple("jakarta.ws.rs." + method));
        }
        for (AnnotationInstance own : index.getAnnotations(HTTP_METHOD)) {
            designators.add(own.target().asClass().name());
        }
    }

    /**
     * The declarations by which the server may know a method, none when it does not serve it. They differ in their
     * parameter types where generics are inherited: Quarkus REST takes those of the method that is annotated, RESTEasy
     * Classic those of any class or interface, depending on where the path is.
     *
     * @param declarations all declarations of one method
     */
    List<MethodInfo> served(List<MethodInfo> declarations) {
        for (MethodInfo declaration : declarations) {
            if (server != RestServer.NONE && Modifier.isPublic(declaration.flags()) && hasDesignator(declaration)) {
                return server == RestServer.QUARKUS_REST ? List.of(declaration) : declarations;
            }
        }
        return List.of();
    }

    /** Whether the method only leads to a sub-resource. */
    boolean isLocator(List<MethodInfo> declarations) {
        return server != RestServer.NONE && declarations.stream().noneMatch(this::hasDesignator)
                && declarations.stream().anyMatch(method -> method.hasDeclaredAnnotation(PATH));
    }

    /** Whether the method is no business method, as it is one of those that map exceptions and filter requests. */
    boolean isProvider(MethodInfo method) {
        return server == RestServer.QUARKUS_REST && method.declaredAnnotations().stream()
                .anyMatch(annotation -> annotation.name().toString().startsWith(PROVIDER));
    }

    /** Whether what serves a request can decide it when the method's arguments are known; else the interceptor does. */
    boolean knowArguments() {
        return server == RestServer.QUARKUS_REST;
    }

    private boolean hasDesignator(MethodInfo method) {
        return method.declaredAnnotations().stream().anyMatch(annotation -> designators.contains(annotation.name()));
    }
}
