package io.quarkiverse.ratelimit.deployment.methods;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/** Finds the methods that serve HTTP requests: public methods, and none if the application has no REST server. */
public final class ResourceMethods {

    private static final DotName PATH = DotName.createSimple("jakarta.ws.rs.Path");
    private static final DotName HTTP_METHOD = DotName.createSimple("jakarta.ws.rs.HttpMethod");
    private static final List<String> STANDARD = List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS");

    private static final String PROVIDER = "org.jboss.resteasy.reactive.server.Server";

    private final RestServer server;
    private final Set<DotName> designators = new HashSet<>();

    public ResourceMethods(IndexView index, RestServer server) {
        this.server = server;
        for (String method : STANDARD) {
            designators.add(DotName.createSimple("jakarta.ws.rs." + method));
        }
        for (AnnotationInstance own : index.getAnnotations(HTTP_METHOD)) {
            designators.add(own.target().asClass().name());
        }
    }

    /**
     * Returns the declarations that the server may use for a method; none if it does not serve the method. With inherited
     * generics, they differ in their parameter types. Quarkus REST uses the annotated method. RESTEasy Classic uses the method
     * of any class or interface, depending on where the path is.
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

    /** Returns whether the method only returns a sub-resource. */
    public boolean isLocator(List<MethodInfo> declarations) {
        return server != RestServer.NONE && declarations.stream().noneMatch(this::hasDesignator)
                && declarations.stream().anyMatch(method -> method.hasDeclaredAnnotation(PATH));
    }

    /** Returns whether the method maps exceptions or filters requests, so that it is not a business method. */
    public boolean isProvider(MethodInfo method) {
        return server == RestServer.QUARKUS_REST && method.declaredAnnotations().stream()
                .anyMatch(annotation -> annotation.name().toString().startsWith(PROVIDER));
    }

    /**
     * Returns whether the server can decide a request after it reads the method's arguments. Otherwise the interceptor decides.
     */
    boolean knowArguments() {
        return server == RestServer.QUARKUS_REST;
    }

    /** Returns whether an annotation gives the declaration an HTTP method. */
    boolean hasDesignator(MethodInfo method) {
        return method.declaredAnnotations().stream().anyMatch(annotation -> designators.contains(annotation.name()));
    }
}
