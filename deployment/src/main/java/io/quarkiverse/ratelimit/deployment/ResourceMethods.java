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

    private final boolean served;
    private final Set<DotName> designators = new HashSet<>();

    ResourceMethods(IndexView index, boolean served) {
        this.served = served;
        for (String method : STANDARD) {
            designators.add(DotName.createSimple("jakarta.ws.rs." + method));
        }
        for (AnnotationInstance own : index.getAnnotations(HTTP_METHOD)) {
            designators.add(own.target().asClass().name());
        }
    }

    /**
     * The declaration by which Quarkus REST serves a method, {@code null} when it does not; where generics are
     * inherited its parameter types differ from those of the method that runs.
     *
     * @param declarations all declarations of one method
     */
    MethodInfo served(List<MethodInfo> declarations) {
        for (MethodInfo declaration : declarations) {
            if (served && Modifier.isPublic(declaration.flags()) && hasDesignator(declaration)) {
                return declaration;
            }
        }
        return null;
    }

    /** Whether the method only leads to a sub-resource. */
    boolean isLocator(List<MethodInfo> declarations) {
        return served && declarations.stream().noneMatch(this::hasDesignator)
                && declarations.stream().anyMatch(method -> method.hasDeclaredAnnotation(PATH));
    }

    private boolean hasDesignator(MethodInfo method) {
        return method.declaredAnnotations().stream().anyMatch(annotation -> designators.contains(annotation.name()));
    }
}
