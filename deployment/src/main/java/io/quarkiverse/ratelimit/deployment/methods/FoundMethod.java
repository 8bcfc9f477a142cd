package io.quarkiverse.ratelimit.deployment.methods;

import java.util.List;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;

/**
 * A limited method.
 *
 * @param type class that has or inherits the method, or interface of a REST client
 * @param declarations all declarations of the method, nearest first: in the class itself, its superclasses and interfaces
 * @param annotated method or class with the annotations that apply
 * @param byExtension whether the extension that implements the interface decides calls
 */
public record FoundMethod(ClassInfo type, List<MethodInfo> declarations, AnnotationTarget annotated, LimitedMethod limited,
        boolean byExtension) {

    private static final String CACHE = "io.quarkus.cache.Cache";

    public MethodInfo declaration() {
        return declarations.get(0);
    }

    /** Returns the type that a parameter has in the class with the method. */
    public Type typeOf(int parameter, IndexView index) {
        MethodInfo declared = declarations.stream().filter(method -> !DecisionParameters.of(List.of(method)).isEmpty())
                .findFirst().orElseGet(this::declaration);
        return typeOf(declared, parameter, index);
    }

    /** @param declared one of the declarations */
    public Type typeOf(MethodInfo declared, int parameter, IndexView index) {
        return new Hierarchy(type, index).argumentsOf(declared.declaringClass()).resolve(declared.parameterType(parameter));
    }

    /** Returns whether the filter decides calls, instead of the interceptor. */
    public boolean byFilter() {
        return limited.byFilter();
    }

    /** Returns whether it is a method of an interface for which Quarkus creates a bean, such as a REST client. */
    public boolean isClient() {
        return type.isInterface();
    }

    /** Returns whether the method has cache annotations, so that a call may use or change a cache. */
    boolean isCached() {
        return declaration().declaredAnnotations().stream()
                .anyMatch(annotation -> annotation.name().toString().startsWith(CACHE));
    }
}
