package io.quarkiverse.ratelimit.deployment;

import java.lang.reflect.Modifier;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;

/**
 * A guarded method.
 *
 * @param type the class whose method it is
 * @param declaration where it is declared: in the class itself, a superclass or an interface
 */
record Found(ClassInfo type, MethodInfo declaration, GuardedMethod guarded) {

    private static final String CACHE = "io.quarkus.cache.Cache";

    boolean resource() {
        return guarded.resource();
    }

    /** Whether it is a default method, which takes interceptors from the class alone. */
    boolean isDefault() {
        return declaration.declaringClass().isInterface() && !Modifier.isAbstract(declaration.flags());
    }

    /** Whether a call may be answered by a cache, or changes one. */
    boolean isCached() {
        for (AnnotationInstance annotation : declaration.declaredAnnotations()) {
            if (annotation.name().toString().startsWith(CACHE)) {
                return true;
            }
        }
        return false;
    }
}
